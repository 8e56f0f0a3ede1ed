-- Why:  who checked which statement against the log, and what came of it: a custody's proof has a record of its own.
-- Read: verification/verifications.store.ts
-- Lock: none; a new table
create table orchestrator.verifications (
  tenant text not null,
  id uuid not null,
  -- What was asked about: a reference, a bundle from anywhere, or an entry of the log.
  form text not null check (form in ('reference', 'bundle', 'entry')),
  -- The tenant's own statement; null where it is none.
  attestation_id uuid,
  verified boolean not null,
  checks jsonb not null,
  error_message text,
  log_origin text,
  log_index bigint,
  tree_size bigint,
  root_hash text,
  -- By a timestamp authority.
  signed_at timestamptz,
  verified_at timestamptz not null default kernel.now(),
  verified_by text not null,
  primary key (tenant, id),
  foreign key (tenant, attestation_id) references orchestrator.attestations (tenant, id),
  check (num_nulls(log_origin, log_index, tree_size, root_hash) in (0, 4)),
  check (verified = (error_message is null))
);
create index verifications_attestation on orchestrator.verifications (tenant, attestation_id, verified_at);
alter table orchestrator.verifications enable row level security;
create policy tenant on orchestrator.verifications to landfall_app using (tenant = kernel.tenant());
grant select, insert on orchestrator.verifications to landfall_app;
