-- Why:  followers are told of changes that are nobody's deed, such as a log that grows, without a row of the audit trail.
-- Read: events/read.ts
-- Lock: none; a new table
-- One row a thing, moved forward to the newest change: its place in the order of events is that of an event written then,
-- from the same sequence. A reader sees nothing above an open transaction, so a row never moves behind a cursor.
create table kernel.notices (
  tenant text not null,
  entity text not null,
  entity_id text not null,
  type text not null,
  version integer not null,
  actor text not null,
  xid xid8 not null default pg_current_xact_id(),
  id bigint not null default nextval('kernel.events_id_seq'),
  at timestamptz not null default kernel.now(),
  primary key (tenant, entity, entity_id)
);
create index notices_order on kernel.notices (xid, id);
alter table kernel.notices enable row level security;
create policy tenant on kernel.notices to landfall_app using (tenant = kernel.tenant());
create policy readers on kernel.notices to landfall_system using (true);
grant select, insert, update on kernel.notices to landfall_app;
grant usage on sequence kernel.events_id_seq to landfall_app;
grant select, delete on kernel.notices to landfall_system;
