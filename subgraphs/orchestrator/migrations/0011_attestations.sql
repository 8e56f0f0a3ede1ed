-- Why:  a deed that others must be able to check becomes a statement, signed and in the log: one row a statement, written
--       with the deed, worked off afterwards; and what an external log has of it.
-- Read: attestation/attestations.store.ts, attestation/attestor.store.ts, attestation/external.store.ts,
--       tlog/floor.store.ts
-- Lock: none; new tables
create table orchestrator.attestations (
  tenant text not null,
  -- The reference, and what the bundle's reader knows it by.
  id uuid not null,
  kind text not null check (kind in ('deployment', 'verification_summary', 'approval', 'evidence', 'observation')),
  -- The deployment or promotion that it is about, or the release and how much evidence it had: a retry of the deed's
  -- transaction makes no second one.
  subject_id text not null,
  release_id uuid not null,
  environment_id uuid,
  deployment_id uuid,
  predicate_type text not null,
  -- How much it states: approvals, pieces of evidence, targets.
  extent integer not null,
  -- The statement's bytes, canonical JSON: never written again, so that a retry signs the same.
  payload bytea not null,
  payload_digest text not null generated always as ('sha256:' || encode(sha256(payload), 'hex')) stored,
  created_at timestamptz not null default kernel.now(),
  -- The first signature stays: another one would be another entry in the log.
  key_id text,
  spki bytea,
  signature bytea,
  signed_at timestamptz,
  -- RFC 3161, over the signature.
  timestamp_token bytea,
  timestamped_at timestamptz,
  log_origin text,
  log_index bigint,
  log_body bytea,
  tree_size bigint,
  root_hash bytea,
  bundle text,
  attested_at timestamptz,
  -- Of the newest verification: one that passed, or one that failed with the first check that did. Null for either while
  -- nobody has verified it.
  verified_at timestamptz,
  refuted_at timestamptz,
  refuted_reason text,
  attempts integer not null default 0,
  due_at timestamptz not null default kernel.now(),
  -- Until when a worker has it to itself.
  lease_until timestamptz,
  last_error text,
  -- When it is looked next whether what landed is seen running; null where nobody looks, or nobody any more.
  observe_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  unique (tenant, kind, subject_id),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id),
  foreign key (tenant, environment_id) references orchestrator.environments (tenant, id),
  foreign key (tenant, deployment_id) references orchestrator.deployments (tenant, id),
  check (num_nulls(key_id, spki, signature, signed_at) in (0, 4)),
  check (num_nulls(timestamp_token, timestamped_at) in (0, 2)),
  check (num_nulls(log_origin, log_index, log_body, tree_size, root_hash, bundle, attested_at) in (0, 7)),
  check (attested_at is null or signed_at is not null),
  check (verified_at is null or attested_at is not null),
  check (refuted_at is null or (attested_at is not null and verified_at is null)),
  check (num_nulls(refuted_at, refuted_reason) in (0, 2)),
  check (observe_at is null or kind = 'deployment')
);
create index attestations_release on orchestrator.attestations (tenant, release_id, created_at);
create index attestations_deployment on orchestrator.attestations (tenant, deployment_id);
-- Another platform domain begins another log, and its indexes at zero.
create unique index attestations_log on orchestrator.attestations (tenant, log_origin, log_index)
  where log_index is not null;
-- The largest tree of a log that a statement was proved in.
create index attestations_tree on orchestrator.attestations (log_origin, tree_size) where log_index is not null;
create index attestations_due on orchestrator.attestations (due_at) where attested_at is null;
create index attestations_observe on orchestrator.attestations (observe_at) where observe_at is not null;
alter table orchestrator.attestations enable row level security;
create policy tenant on orchestrator.attestations to landfall_app using (tenant = kernel.tenant());
create policy attestor on orchestrator.attestations to landfall_system using (true);
grant select, insert, update (key_id, spki, signature, signed_at, timestamp_token, timestamped_at, log_origin, log_index,
  log_body, tree_size, root_hash, bundle, attested_at, verified_at, refuted_at, refuted_reason, attempts, due_at,
  lease_until, last_error, observe_at, version) on orchestrator.attestations to landfall_app;
grant select (tenant, id, log_origin, log_index, tree_size, root_hash, attested_at, due_at, lease_until, observe_at),
  update (lease_until, observe_at) on orchestrator.attestations to landfall_system;

-- The same entry in somebody else's log: submitted after ours, tried again apart, in the way of nothing.
create table orchestrator.external_entries (
  tenant text not null,
  attestation_id uuid not null,
  url text not null,
  log_index bigint,
  -- Its TransparencyLogEntry, JSON text, as it was checked.
  entry text,
  logged_at timestamptz,
  attempts integer not null default 0,
  due_at timestamptz not null default kernel.now(),
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, attestation_id),
  foreign key (tenant, attestation_id) references orchestrator.attestations (tenant, id),
  check (num_nulls(log_index, entry, logged_at) in (0, 3))
);
create index external_entries_due on orchestrator.external_entries (due_at) where logged_at is null;
alter table orchestrator.external_entries enable row level security;
create policy tenant on orchestrator.external_entries to landfall_app using (tenant = kernel.tenant());
create policy attestor on orchestrator.external_entries to landfall_system using (true);
grant select, insert, update on orchestrator.external_entries to landfall_app;
grant select (tenant, attestation_id, logged_at, due_at, lease_until), update (lease_until)
  on orchestrator.external_entries to landfall_system;
