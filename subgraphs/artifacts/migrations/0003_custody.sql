-- Why:  bytes are read again within a cycle, holds keep evidence, and what is disposed of leaves a signed record.
-- Read: scrub/scrub.store.ts, custody/holds.store.ts, custody/disposals.store.ts
-- Lock: evidence.artifact_index while its indexes are built
alter table evidence.artifact_index
  -- When its bytes were last read whole.
  add column checked_at timestamptz not null default kernel.now(),
  -- When its bytes were found changed or gone; null while they are the index's.
  add column corrupt_at timestamptz,
  -- Nobody deletes it before; it only grows.
  add column retain_until timestamptz,
  add column deleted_at timestamptz,
  add column deleted_by text;
-- Across tenants: the scrubber reads the oldest first.
create index artifact_index_checked on evidence.artifact_index (checked_at, tenant, artifact_id)
  where not is_deleted and corrupt_at is null;
-- Across tenants: the sweeper asks which objects have a row.
create index artifact_index_storage on evidence.artifact_index (storage_key);
create index artifact_index_retained on evidence.artifact_index (tenant, retain_until, artifact_id);

create table evidence.holds (
  tenant text not null,
  id uuid not null,
  artifact_id uuid not null,
  reason text not null check (reason <> ''),
  placed_by text not null,
  placed_at timestamptz not null default kernel.now(),
  ended_by text,
  ended_at timestamptz,
  end_reason text,
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, artifact_id) references evidence.artifact_index (tenant, artifact_id),
  check ((ended_at is null) = (ended_by is null) and (ended_at is null) = (end_reason is null))
);
create index holds_artifact on evidence.holds (tenant, artifact_id);

-- Signed record of what was disposed of. Nothing changes it: no role has the right to.
create table evidence.disposals (
  tenant text not null,
  id uuid not null,
  artifact_id uuid not null,
  bom_ref text not null,
  serial_number text not null,
  sha256 text not null,
  size_bytes bigint not null,
  retained_until timestamptz not null,
  rule text not null,
  disposed_by text not null,
  disposed_at timestamptz not null,
  -- DSSE envelope over all of the above.
  envelope jsonb not null check (jsonb_typeof(envelope) = 'object'),
  primary key (tenant, id)
);

do $$
declare name text;
begin
  foreach name in array array['holds', 'disposals']
  loop
    execute format('alter table evidence.%I enable row level security', name);
    execute format('create policy tenant on evidence.%I to landfall_app using (tenant = kernel.tenant())', name);
    execute format('grant select, insert on evidence.%I to landfall_app', name);
  end loop;
end $$;
grant update (ended_by, ended_at, end_reason, version), delete on evidence.holds to landfall_app;
grant delete on evidence.artifact_index, evidence.artifact_references to landfall_app;
