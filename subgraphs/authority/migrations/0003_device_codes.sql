-- Why:  a device without a browser asks for tokens, and a person allows it elsewhere (RFC 8628); what tokens were
--       exchanged for ends with them (RFC 8693).
-- Read: tokens/devices.store.ts by the hash of the device code (polls) and by the user code (the page);
--       tokens/exchanges.store.ts
-- Lock: none; new tables
--
-- landfall_system finds a row before a tenant is known, remembers polls, and moves a row of a client that serves every
-- tenant to the tenant of whoever typed its code.
create table authority.device_codes (
  tenant text not null references authority.tenants (tenant),
  id uuid not null,
  -- SHA-256 of the device code, which only the device has.
  hash bytea not null,
  -- Eight letters without vowels and dashes: typed by a person.
  user_code text not null,
  client_id uuid not null references authority.clients (id),
  scopes text[] not null,
  resources text[] not null default '{}',
  -- From where the device asked: told to whoever is to allow it (RFC 8628 5.4).
  address text,
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  user_id uuid,
  amr text[] not null default '{}',
  auth_time timestamptz,
  created_at timestamptz not null default kernel.now(),
  expires_at timestamptz not null,
  -- slow_down makes the pause longer for this and all later polls (RFC 8628 3.5).
  poll_seconds integer not null,
  polled_at timestamptz,
  consumed_at timestamptz,
  -- What the code was exchanged for: revoked when the code comes a second time.
  family_id uuid,
  primary key (tenant, id),
  foreign key (tenant, user_id) references authority.users (tenant, id),
  check (state <> 'approved' or (user_id is not null and auth_time is not null))
);
-- A person types the code before anybody knows whose it is.
create unique index device_codes_user_code on authority.device_codes (user_code);
create index device_codes_hash on authority.device_codes (hash);
create index device_codes_expiry on authority.device_codes (expires_at);
alter table authority.device_codes enable row level security;
create policy tenant on authority.device_codes to landfall_app using (tenant = kernel.tenant());
create policy token_endpoint on authority.device_codes to landfall_system using (true);
grant select, insert, update on authority.device_codes to landfall_app;
grant select, delete, update (tenant, polled_at, poll_seconds) on authority.device_codes to landfall_system;

-- What was exchanged for what (RFC 8693): a token ends with the one that it came of, and with each that has a part in it.
-- Read by the token that was exchanged, and by who has a part.
create table authority.exchanged_tokens (
  tenant text not null references authority.tenants (tenant),
  jti text not null,
  subject_jti text not null,
  -- Who acts in it, and the client whose token was exchanged.
  parties text[] not null,
  expires_at timestamptz not null,
  primary key (tenant, jti)
);
create index exchanged_tokens_subject on authority.exchanged_tokens (tenant, subject_jti);
create index exchanged_tokens_expiry on authority.exchanged_tokens (expires_at);
alter table authority.exchanged_tokens enable row level security;
create policy tenant on authority.exchanged_tokens to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on authority.exchanged_tokens to landfall_system using (true);
grant select, insert on authority.exchanged_tokens to landfall_app;
grant select, delete on authority.exchanged_tokens to landfall_system;
