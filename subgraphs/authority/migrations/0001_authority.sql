-- Why:  tenants, the people and clients that act in them, and what tokens are made from and revoked by.
-- Read: users/users.store.ts, clients/clients.store.ts, tokens/*.store.ts, sign-in/*.store.ts, keys/keys.store.ts
-- Lock: none; first migration
--
-- landfall_system reads here what must be found before a tenant is known: a user name, a client_id, the hash of a
-- code, a refresh token or a session cookie. What it finds is then changed as its tenant.
create schema authority;
grant usage on schema authority to landfall_app, landfall_system;

create table authority.tenants (
  tenant text primary key,
  id uuid not null unique,
  name text not null,
  created_at timestamptz not null default kernel.now()
);
alter table authority.tenants enable row level security;
create policy tenant on authority.tenants to landfall_app using (tenant = kernel.tenant());
grant select, insert on authority.tenants to landfall_app;

create table authority.users (
  tenant text not null references authority.tenants (tenant),
  id uuid not null,
  username text not null check (username = lower(username)),
  display_name text not null,
  email text,
  password_hash text not null,
  roles text[] not null,
  active boolean not null default true,
  created_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id)
);
-- Signing in asks for a name and a password, no tenant: the name must tell the tenant.
create unique index users_username on authority.users (username);
alter table authority.users enable row level security;
create policy tenant on authority.users to landfall_app using (tenant = kernel.tenant());
create policy sign_in on authority.users for select to landfall_system using (true);
grant select, insert, update on authority.users to landfall_app;
grant select (tenant, id, username, password_hash) on authority.users to landfall_system;

create table authority.clients (
  tenant text not null references authority.tenants (tenant),
  -- The client_id, which an OAuth request gives without its tenant.
  id uuid not null unique,
  name text not null,
  grants text[] not null,
  scopes text[] not null,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null,
  can_introspect boolean not null default false,
  -- Signs in people of every tenant: the console.
  serves_every_tenant boolean not null default false,
  active boolean not null default true,
  created_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  constraint clients_name unique (tenant, name)
);
alter table authority.clients enable row level security;
create policy tenant on authority.clients to landfall_app using (tenant = kernel.tenant());
create policy client_authentication on authority.clients for select to landfall_system using (true);
grant select, insert, update on authority.clients to landfall_app;
grant select on authority.clients to landfall_system;

create table authority.client_secrets (
  tenant text not null,
  client_id uuid not null,
  id uuid not null,
  hash bytea not null,
  primary key (tenant, client_id, id),
  foreign key (tenant, client_id) references authority.clients (tenant, id)
);
create index client_secrets_client on authority.client_secrets (client_id);
alter table authority.client_secrets enable row level security;
create policy tenant on authority.client_secrets to landfall_app using (tenant = kernel.tenant());
create policy client_authentication on authority.client_secrets for select to landfall_system using (true);
grant select, insert, delete on authority.client_secrets to landfall_app;
grant select on authority.client_secrets to landfall_system;

-- Everything that came of one sign-in at one client: its refresh tokens and its access tokens end together.
create table authority.token_families (
  tenant text not null,
  id uuid not null,
  client_id uuid not null references authority.clients (id),
  user_id uuid not null,
  scopes text[] not null,
  auth_time timestamptz not null,
  revoked_at timestamptz,
  -- Past it nothing of the family is alive; each refresh moves it on.
  expires_at timestamptz not null,
  primary key (tenant, id),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
create index token_families_user on authority.token_families (tenant, user_id);
create index token_families_expiry on authority.token_families (expires_at);
alter table authority.token_families enable row level security;
create policy tenant on authority.token_families to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on authority.token_families to landfall_system using (true);
grant select, insert, update on authority.token_families to landfall_app;
grant select, delete on authority.token_families to landfall_system;

create table authority.refresh_tokens (
  tenant text not null,
  hash bytea not null,
  family_id uuid not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  primary key (tenant, hash),
  foreign key (tenant, family_id) references authority.token_families (tenant, id) on delete cascade
);
create index refresh_tokens_hash on authority.refresh_tokens (hash);
create index refresh_tokens_family on authority.refresh_tokens (tenant, family_id);
alter table authority.refresh_tokens enable row level security;
create policy tenant on authority.refresh_tokens to landfall_app using (tenant = kernel.tenant());
create policy token_endpoint on authority.refresh_tokens for select to landfall_system using (true);
grant select, insert, update on authority.refresh_tokens to landfall_app;
grant select on authority.refresh_tokens to landfall_system;

-- Access tokens issued for people: only their ids, so that a family or a person can be denied at once.
create table authority.access_tokens (
  tenant text not null,
  jti uuid not null,
  family_id uuid not null,
  expires_at timestamptz not null,
  primary key (tenant, jti),
  foreign key (tenant, family_id) references authority.token_families (tenant, id) on delete cascade
);
create index access_tokens_family on authority.access_tokens (tenant, family_id);
create index access_tokens_expiry on authority.access_tokens (expires_at);
alter table authority.access_tokens enable row level security;
create policy tenant on authority.access_tokens to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on authority.access_tokens to landfall_system using (true);
grant select, insert on authority.access_tokens to landfall_app;
grant select, delete on authority.access_tokens to landfall_system;

create table authority.codes (
  tenant text not null,
  hash bytea not null,
  client_id uuid not null references authority.clients (id),
  user_id uuid not null,
  redirect_uri text not null,
  scopes text[] not null,
  challenge text not null,
  nonce text,
  auth_time timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  -- What the code was exchanged for: revoked when the code comes a second time.
  family_id uuid,
  primary key (tenant, hash),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
create index codes_hash on authority.codes (hash);
create index codes_expiry on authority.codes (expires_at);
alter table authority.codes enable row level security;
create policy tenant on authority.codes to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on authority.codes to landfall_system using (true);
grant select, insert, update on authority.codes to landfall_app;
grant select, delete on authority.codes to landfall_system;

-- The authority's own sessions: not the console's (kernel.sessions). Only the cookie's hash is here.
create table authority.sessions (
  tenant text not null,
  id_hash bytea not null,
  user_id uuid not null,
  auth_time timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant, id_hash),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
create index sessions_id on authority.sessions (id_hash);
create index sessions_user on authority.sessions (tenant, user_id);
create index sessions_expiry on authority.sessions (expires_at);
alter table authority.sessions enable row level security;
create policy tenant on authority.sessions to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on authority.sessions to landfall_system using (true);
grant select, insert, delete on authority.sessions to landfall_app;
grant select, delete on authority.sessions to landfall_system;

-- Back-off of sign-in, by the hash of what is counted. No tenant: the name may belong to nobody.
create table authority.sign_in_attempts (
  key_hash bytea primary key,
  failures integer not null,
  last_at timestamptz not null,
  blocked_until timestamptz not null
);
create index sign_in_attempts_age on authority.sign_in_attempts (last_at);
alter table authority.sign_in_attempts enable row level security;
create policy sign_in on authority.sign_in_attempts to landfall_system using (true);
grant select, insert, update, delete on authority.sign_in_attempts to landfall_system;

-- The key ring of every tenant's tokens. The private half is sealed under the root key.
create table authority.signing_keys (
  kid text primary key,
  state text not null check (state in ('next', 'current', 'retired')),
  x text not null,
  y text not null,
  sealed_private bytea not null,
  since timestamptz not null default kernel.now()
);
-- Several processes may start at once: of their first keys one becomes current and one next.
create unique index signing_keys_one on authority.signing_keys (state) where state <> 'retired';
alter table authority.signing_keys enable row level security;
create policy key_ring on authority.signing_keys to landfall_system using (true);
grant select, insert, update, delete on authority.signing_keys to landfall_system;

-- A revocation denies tokens in the transaction that ends their family or their owner.
grant insert on kernel.revoked_tokens to landfall_app;
