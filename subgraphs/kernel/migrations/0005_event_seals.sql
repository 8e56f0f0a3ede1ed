-- Why:  the audit trail is sealed in batches that are chained by hash, so that no row of it changes unseen.
-- Read: events/seal.store.ts, events/audit.store.ts
-- Lock: none; a new table
-- One chain over the events of all tenants, above them like the order of events itself.
create table kernel.event_seals (
  sequence bigint primary key,
  previous bytea,
  first_xid xid8 not null,
  first_id bigint not null,
  last_xid xid8 not null,
  last_id bigint not null,
  count integer not null,
  root bytea not null,
  -- 32 bytes an event: the leaves under the root, by which an edited row is found.
  leaves bytea not null,
  -- 16 bytes an event, xid and id: by which a deleted row still has a name.
  cursors bytea not null,
  sealed_at timestamptz not null,
  hash bytea not null,
  -- Where the transparency log has the seal; null until it does.
  log_index bigint
);
-- Hashes do not compress.
alter table kernel.event_seals alter column leaves set storage external;
create index event_seals_waiting on kernel.event_seals (sequence) where log_index is null;
-- Nobody changes or deletes a seal; that the log has it is all that is ever noted on one.
grant select, insert, update (log_index) on kernel.event_seals to landfall_system;
