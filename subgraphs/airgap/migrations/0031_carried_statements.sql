-- Why:  a site shows the approvals and policies that came with a release, and keeps its statements as evidence.
-- Read: kits/carried-statements.store.ts
-- Lock: none, the table is new
create table airgap.carried_statements (
  tenant text not null,
  id uuid not null,
  release_id uuid not null,
  kit_digest text not null,
  kind text not null check (kind in ('approval', 'policy', 'other')),
  environment text,
  approvals jsonb not null check (jsonb_typeof(approvals) = 'array'),
  -- Canonical JSON, whose hash the statement has.
  policy text,
  policy_digest text,
  decided_at text,
  -- Sigstore bundle, as the kit has it, and its hash.
  bundle text not null,
  digest text not null,
  primary key (tenant, id),
  unique (tenant, release_id, digest)
);
alter table airgap.carried_statements enable row level security;
create policy tenant on airgap.carried_statements to landfall_app using (tenant = kernel.tenant());
grant select, insert on airgap.carried_statements to landfall_app;
