-- Why:  every request for a registry token leaves a row, granted or not; and the key that signs them, with its
--       certificate and the authority above it, is kept where all copies of the service find the same.
-- Read: tokens/tokens.store.ts, signing/certificates.store.ts
-- Lock: none; first migration
create schema registry;
grant usage on schema registry to landfall_app, landfall_system;

create table registry.tokens (
  tenant text not null,
  -- Grows with time, so that the newest are at one end; of a token that was issued also its jti.
  id uuid not null,
  at timestamptz not null default kernel.now(),
  outcome text not null check (outcome in ('issued', 'refused')),
  subject text not null,
  client_id text not null,
  service text,
  scopes text[] not null,
  access jsonb not null,
  plan text,
  license text,
  sender text check (sender in ('dpop', 'mtls')),
  expires_at timestamptz,
  error text,
  reason text,
  correlation_id text not null,
  primary key (tenant, id),
  check ((outcome = 'issued') = (expires_at is not null and error is null))
);
create index tokens_refused on registry.tokens (tenant, id) where outcome = 'refused';
-- Rows come in the order of their time, which is all that this kind needs: it costs an insert next to nothing.
create index tokens_age on registry.tokens using brin (at);
alter table registry.tokens enable row level security;
create policy tenant on registry.tokens to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on registry.tokens to landfall_system using (true);
grant select, insert on registry.tokens to landfall_app;
grant select, delete on registry.tokens to landfall_system;

-- The authority that registries trust, and the leaf that signs. Private halves are sealed under the root key; that of a
-- leaf over a key from a file is not here.
create table registry.certificates (
  id uuid primary key,
  kind text not null check (kind in ('authority', 'leaf')),
  state text not null check (state in ('current', 'retired')),
  key_id text not null,
  certificate bytea not null,
  sealed_private bytea,
  not_before timestamptz not null,
  not_after timestamptz not null,
  -- Of a leaf: who signed it.
  authority_id uuid references registry.certificates (id)
);
-- Several processes may start at once: of their first keys one becomes the one.
create unique index certificates_current on registry.certificates (kind) where state = 'current';
alter table registry.certificates enable row level security;
create policy signing on registry.certificates to landfall_system using (true);
grant select, insert, update, delete on registry.certificates to landfall_system;
