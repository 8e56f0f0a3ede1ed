-- Why:  what a scan was made from is pinned by hash and signed once, so that its score can be replayed for ever.
-- Read: manifests/manifests.store.ts, manifests/policies.store.ts
-- Lock: none; new tables
create table scanner.policies (
  tenant text not null,
  id text not null,
  version text not null,
  -- Whole policy of the score model, validated when it is published (proofs 2.2).
  policy jsonb not null check (jsonb_typeof(policy) = 'object'),
  published_at timestamptz not null default kernel.now(),
  primary key (tenant, id, version)
);
create index policies_newest on scanner.policies (tenant, published_at);
alter table scanner.policies enable row level security;
create policy tenant on scanner.policies to landfall_app using (tenant = kernel.tenant());
grant select, insert on scanner.policies to landfall_app;

-- Never changed and never deleted before its scan.
create table scanner.manifests (
  tenant text not null,
  scan_id uuid not null,
  -- Bytes of manifest.json and manifest.dsse.json: an ECDSA signature would differ if it were made again.
  manifest text not null,
  envelope text not null,
  manifest_hash text not null check (manifest_hash ~ '^sha256:[0-9a-f]{64}$'),
  manifest_digest text not null check (manifest_digest ~ '^sha256:[0-9a-f]{64}$'),
  policy jsonb not null check (jsonb_typeof(policy) = 'object'),
  vex_set_hash text not null check (vex_set_hash ~ '^sha256:[0-9a-f]{64}$'),
  -- Newest capture of an input, in whole seconds: a score of an earlier time would claim knowledge that nobody had.
  captured_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant, scan_id),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade
);
alter table scanner.manifests enable row level security;
create policy tenant on scanner.manifests to landfall_app using (tenant = kernel.tenant());
grant select, insert on scanner.manifests to landfall_app;
