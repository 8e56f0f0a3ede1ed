-- Why:  what every module stands on: time, events, idempotency, sessions, the token denylist, leased schedules.
-- Read: events/read.ts, idempotency.ts, session.ts, denylist.ts, schedule.ts
-- Lock: none; first migration
create schema kernel;
grant usage on schema kernel to landfall_app, landfall_system;

-- Only the tests' template database replaces this body.
create function kernel.now() returns timestamptz
  language sql stable parallel safe
  return pg_catalog.now();

create function kernel.tenant() returns text
  language sql stable parallel safe
  return nullif(current_setting('landfall.tenant', true), '');

-- Audit row, outbox row and change notice in one. Order is (xid, id): a cursor on id alone would pass over
-- the rows of slow transactions.
create table kernel.events (
  tenant text not null,
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  type text not null,
  entity text not null,
  entity_id text not null,
  version integer not null,
  actor text not null,
  correlation_id text not null,
  data jsonb not null,
  at timestamptz not null default kernel.now(),
  primary key (tenant, xid, id)
);
create index events_order on kernel.events (xid, id);
create index events_subject on kernel.events (tenant, entity, entity_id, xid, id);
alter table kernel.events enable row level security;
create policy tenant on kernel.events to landfall_app using (tenant = kernel.tenant());
create policy readers on kernel.events for select to landfall_system using (true);
grant select, insert on kernel.events to landfall_app;
grant select on kernel.events to landfall_system;

create table kernel.idempotency (
  tenant text not null,
  subject text not null,
  operation text not null,
  key text not null,
  input_hash bytea not null,
  answer bytea,
  at timestamptz not null default kernel.now(),
  primary key (tenant, subject, operation, key)
);
create index idempotency_age on kernel.idempotency (at);
alter table kernel.idempotency enable row level security;
create policy tenant on kernel.idempotency to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on kernel.idempotency to landfall_system using (true);
grant select, insert, update on kernel.idempotency to landfall_app;
grant select, delete on kernel.idempotency to landfall_system;

-- Console sessions. The cookie's value is not here, only its hash; tokens are sealed.
create table kernel.sessions (
  id_hash bytea primary key,
  tenant text not null,
  subject text not null,
  sealed bytea not null,
  csrf_hash bytea not null,
  created_at timestamptz not null default kernel.now(),
  expires_at timestamptz not null,
  last_seen_at timestamptz not null default kernel.now()
);
create index sessions_expiry on kernel.sessions (expires_at);
alter table kernel.sessions enable row level security;
create policy edge on kernel.sessions to landfall_system using (true);
grant select, insert, update, delete on kernel.sessions to landfall_system;

-- Revoked access tokens by jti, kept until they would have expired. Random ids and nothing else: no tenant.
create table kernel.revoked_tokens (
  jti text primary key,
  expires_at timestamptz not null,
  at timestamptz not null default kernel.now()
);
create index revoked_tokens_expiry on kernel.revoked_tokens (expires_at);
grant select on kernel.revoked_tokens to landfall_app;
grant select, insert, delete on kernel.revoked_tokens to landfall_system;

-- One leased row a piece of housekeeping.
create table kernel.schedules (
  name text primary key,
  lease_until timestamptz not null,
  last_run_at timestamptz
);
grant select, insert, update on kernel.schedules to landfall_system;
