-- Why:  evidence is found by its bom-ref, and by every digest that it is about, years after it was put.
-- Read: records/artifacts.store.ts, records/subjects.store.ts
-- Lock: none, the schema is new
create schema evidence;
grant usage on schema evidence to landfall_app, landfall_system;

create table evidence.artifact_index (
  tenant text not null,
  -- Name-based over tenant, bom-ref, serial number and hash: the same evidence has the same id.
  artifact_id uuid not null,
  artifact_type text not null check (artifact_type in ('Sbom', 'Vex', 'DsseEnvelope', 'RekorProof', 'Verdict', 'Other')),
  -- Full key of the object (spec 2.6). Nothing reads the other columns back from it.
  storage_key text not null check (storage_key <> ''),
  bom_ref text not null check (bom_ref <> ''),
  serial_number text not null check (serial_number <> ''),
  sha256 text not null check (sha256 ~ '^sha256:[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  content_type text not null,
  -- Why some subjects are unknown; null where the content was read whole.
  content_note text,
  created_by text not null,
  -- Whole milliseconds, as a continuation token has it.
  created_at timestamptz not null default date_trunc('milliseconds', kernel.now()),
  is_deleted boolean not null default false,
  version integer not null default 1,
  primary key (tenant, artifact_id)
);
create unique index artifact_index_key on evidence.artifact_index (tenant, storage_key) where not is_deleted;
create unique index artifact_index_identity on evidence.artifact_index (tenant, bom_ref, serial_number, sha256)
  where not is_deleted;
create index artifact_index_list on evidence.artifact_index (tenant, bom_ref, created_at desc, artifact_id desc)
  where not is_deleted;
create index artifact_index_newest on evidence.artifact_index (tenant, created_at desc, artifact_id desc)
  where not is_deleted;
create index artifact_index_sha256 on evidence.artifact_index (tenant, sha256);

-- Digests that an artifact is about, as its content says.
create table evidence.artifact_subjects (
  tenant text not null,
  artifact_id uuid not null,
  digest_alg text not null,
  digest text not null,
  -- Type of the statement's predicate; empty for a document that is no statement.
  predicate_type text not null,
  verdict text not null check (verdict in ('verified', 'unverified', 'invalid')),
  -- Key or identity that signed; null where nobody did.
  signer text,
  primary key (tenant, artifact_id, digest_alg, digest, predicate_type),
  foreign key (tenant, artifact_id) references evidence.artifact_index (tenant, artifact_id) on delete cascade
);
create index artifact_subjects_digest on evidence.artifact_subjects (tenant, digest, predicate_type);

do $$
declare name text;
begin
  foreach name in array array['artifact_index', 'artifact_subjects']
  loop
    execute format('alter table evidence.%I enable row level security', name);
    execute format('create policy tenant on evidence.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('create policy work on evidence.%I to landfall_system using (true)', name);
    execute format('grant select, insert, update on evidence.%I to landfall_app', name);
    execute format('grant select, update on evidence.%I to landfall_system', name);
  end loop;
end $$;
grant delete on evidence.artifact_subjects to landfall_app;
