-- Why:  the sweeper must not take the objects of another database, and a quarantine that was cut short is finished.
-- Read: scrub/scrub.store.ts
-- Lock: evidence.artifact_index for a moment
alter table evidence.artifact_index
  -- When the object of a corrupt artifact was moved away; null until then.
  add column quarantined_at timestamptz,
  -- When its bytes could not be read at all; null once they were.
  add column unreadable_at timestamptz;
create index artifact_index_unmoved on evidence.artifact_index (tenant, artifact_id)
  where corrupt_at is not null and quarantined_at is null;

-- Identity of this database, which the directory of its objects bears as well.
create table evidence.store_identity (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid()
);
insert into evidence.store_identity default values;
alter table evidence.store_identity enable row level security;
create policy work on evidence.store_identity to landfall_system using (true);
grant select on evidence.store_identity to landfall_system;

-- Across tenants: an object whose artifact was disposed of may go.
create index disposals_artifact on evidence.disposals (artifact_id);
create policy work on evidence.disposals to landfall_system using (true);
grant select on evidence.disposals to landfall_system;
