-- Why:  scores that were replayed, and the proof bundles that were written for them.
-- Read: replays/score-replays.store.ts, replays/proof-bundles.store.ts
-- Lock: none; new tables
create table scanner.score_replays (
  tenant text not null,
  scan_id uuid not null,
  root_hash text not null check (root_hash ~ '^sha256:[0-9a-f]{64}$'),
  canonical_input_hash text not null check (canonical_input_hash ~ '^sha256:[0-9a-f]{64}$'),
  manifest_digest text not null check (manifest_digest ~ '^sha256:[0-9a-f]{64}$'),
  -- Null where nothing was evaluated.
  score_ppm integer check (score_ppm between 0 and 1000000),
  factors jsonb not null check (jsonb_typeof(factors) = 'array'),
  -- Time for which the score holds.
  freeze_timestamp timestamptz not null,
  replayed_at timestamptz not null,
  bundle_hash text not null check (bundle_hash ~ '^sha256:[0-9a-f]{64}$'),
  bundle_path text not null,
  primary key (tenant, scan_id, root_hash, replayed_at),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade
);
create index score_replays_newest on scanner.score_replays (tenant, scan_id, replayed_at desc, root_hash);
alter table scanner.score_replays enable row level security;
create policy tenant on scanner.score_replays to landfall_app using (tenant = kernel.tenant());
grant select, insert on scanner.score_replays to landfall_app;

create table scanner.proof_bundles (
  tenant text not null,
  scan_id uuid not null,
  root_hash text not null check (root_hash ~ '^sha256:[0-9a-f]{64}$'),
  bundle_type text not null check (bundle_type = 'score'),
  -- Of the bytes of the ZIP.
  bundle_hash text not null check (bundle_hash ~ '^sha256:[0-9a-f]{64}$'),
  path text not null,
  freeze_timestamp timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (tenant, scan_id, root_hash),
  foreign key (tenant, scan_id) references scanner.scans (tenant, id) on delete cascade
);
create index proof_bundles_newest on scanner.proof_bundles (tenant, scan_id, created_at desc, root_hash);
alter table scanner.proof_bundles enable row level security;
create policy tenant on scanner.proof_bundles to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on scanner.proof_bundles to landfall_app;
