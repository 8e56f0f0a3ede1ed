-- Why:  tokens bound to a key (RFC 9449, RFC 8705), clients known by their certificate, tenants that can be stopped and
--       have plans and a licence, people without a password (invited, provisioned, federated) and with groups.
-- Read: tenants.store.ts, users/users.store.ts, clients/clients.store.ts, tokens/*.store.ts, sign-in/sessions.store.ts
-- Lock: short exclusive locks, no table is rewritten

alter table authority.tenants
  add column active boolean not null default true,
  -- The registry plans that clients of this tenant may have; the first is the plan of those that name none.
  add column plans text[] not null default '{}',
  add column license text;
-- A token endpoint reads the plan, the licence and whether the tenant is stopped of a client that it has just found.
create policy token_endpoint on authority.tenants for select to landfall_system using (true);
grant select on authority.tenants to landfall_system;
-- What a tenant may have is the operator's word, never the tenant's own.
create policy operator on authority.tenants for update to landfall_system using (true);
grant update (name, active, plans, license) on authority.tenants to landfall_system;

alter table authority.users
  alter column password_hash drop not null,
  -- The union of the roles of the person's groups, written with each change of a membership or of a group's roles.
  add column group_roles text[] not null default '{}';

alter table authority.clients
  add column auth_methods text[] not null default '{client_secret_basic,client_secret_post}',
  -- RFC 8705 2.1.2: `subject_dn`, `san_dns`, `san_uri`, `san_ip` or `san_email` and its value.
  add column tls_subject_kind text,
  add column tls_subject text,
  -- SHA-256 thumbprints (base64url) of self-signed certificates (RFC 8705 2.2).
  add column certificates text[] not null default '{}',
  -- RFC 9449 5.2, RFC 8705 3.4: issue bound tokens only.
  add column dpop_bound boolean not null default false,
  add column tls_bound boolean not null default false,
  add column requires_par boolean not null default false,
  add column requires_consent boolean not null default false,
  -- Audiences beside the platform's own that it may ask for (RFC 8707).
  add column resources text[] not null default '{}',
  add column plan text;

alter table authority.token_families
  -- What the family's tokens are bound by: nothing, `dpop` or `mtls`; a refresh never issues weaker ones.
  add column sender text check (sender in ('dpop', 'mtls')),
  add column resources text[] not null default '{}',
  -- RFC 8176 words for how the person signed in.
  add column amr text[] not null default '{pwd}',
  add column created_at timestamptz not null default kernel.now();

-- Families that are refreshed for years leave spent tokens behind, which housekeeping finds by their end.
create index refresh_tokens_expiry on authority.refresh_tokens (expires_at);
create policy housekeeping on authority.refresh_tokens for delete to landfall_system using (true);
grant delete on authority.refresh_tokens to landfall_system;

alter table authority.codes
  add column resources text[] not null default '{}',
  add column amr text[] not null default '{pwd}',
  -- RFC 9449 10: the thumbprint of the only key that may redeem the code.
  add column dpop_jkt text;

alter table authority.sessions
  -- What the graph calls the session: the hash of its cookie is nobody's business.
  add column id uuid not null default gen_random_uuid(),
  add column amr text[] not null default '{pwd}',
  add column user_agent text,
  add column address text;
create unique index sessions_public_id on authority.sessions (tenant, id);
