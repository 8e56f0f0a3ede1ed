-- Why:  the bytes of what was disposed of go, also those that an earlier `Artifacts:Prefix` placed.
-- Read: scrub/scrub.store.ts
-- Lock: none, the table is new

-- Objects of artifacts that were disposed of, until the sweeper has discarded them.
create table evidence.disposed_objects (
  tenant text not null,
  artifact_id uuid not null,
  storage_key text not null,
  primary key (tenant, storage_key)
);
alter table evidence.disposed_objects enable row level security;
create policy tenant on evidence.disposed_objects to landfall_app using (tenant = kernel.tenant());
create policy work on evidence.disposed_objects to landfall_system using (true);
grant select, insert on evidence.disposed_objects to landfall_app;
grant select, delete on evidence.disposed_objects to landfall_system;
