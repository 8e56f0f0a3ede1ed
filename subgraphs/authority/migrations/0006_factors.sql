-- Why:  a second factor (RFC 6238) with recovery codes, and passkeys (WebAuthn), which need no password.
-- Read: factors/totp.store.ts, factors/passkeys.store.ts
-- Lock: none; new tables
create table authority.totp_secrets (
  tenant text not null,
  user_id uuid not null,
  -- Sealed for the tenant under `totp/<user id>`.
  sealed bytea not null,
  -- Null until a code of it has been shown: before that it is no factor.
  confirmed_at timestamptz,
  -- The last step of 30 s since 1970 that was accepted: it and all before it are spent (RFC 6238 5.2).
  last_step bigint not null default 0,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, user_id),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
alter table authority.totp_secrets enable row level security;
create policy tenant on authority.totp_secrets to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on authority.totp_secrets to landfall_app;

create table authority.recovery_codes (
  tenant text not null,
  user_id uuid not null,
  hash bytea not null,
  consumed_at timestamptz,
  primary key (tenant, user_id, hash),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
alter table authority.recovery_codes enable row level security;
create policy tenant on authority.recovery_codes to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on authority.recovery_codes to landfall_app;

create table authority.passkeys (
  tenant text not null,
  id uuid not null,
  user_id uuid not null,
  -- As the authenticator made it, base64url.
  credential_id text not null,
  -- COSE_Key (RFC 9052 7).
  public_key bytea not null,
  -- The last signature counter; an authenticator that does not count leaves it at 0.
  counter bigint not null,
  transports text[] not null,
  -- It may be copied to other devices (WebAuthn 3, 6.1.3), and is.
  is_portable boolean not null,
  backed_up boolean not null,
  name text not null,
  created_at timestamptz not null default kernel.now(),
  last_used_at timestamptz,
  primary key (tenant, id),
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
-- Signing in with a passkey gives neither a name nor a tenant: the credential must tell both.
create unique index passkeys_credential on authority.passkeys (credential_id);
create index passkeys_user on authority.passkeys (tenant, user_id);
alter table authority.passkeys enable row level security;
create policy tenant on authority.passkeys to landfall_app using (tenant = kernel.tenant());
create policy sign_in on authority.passkeys for select to landfall_system using (true);
grant select, insert, update, delete on authority.passkeys to landfall_app;
grant select on authority.passkeys to landfall_system;

-- Challenges that were answered: a challenge is signed by us and says itself until when it may be answered, so that a
-- page that anybody may open writes nothing here.
create table authority.spent_challenges (
  -- Whose passkey answered.
  tenant text not null,
  hash bytea not null,
  expires_at timestamptz not null,
  primary key (tenant, hash)
);
create index spent_challenges_expiry on authority.spent_challenges (expires_at);
alter table authority.spent_challenges enable row level security;
create policy tenant on authority.spent_challenges to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on authority.spent_challenges to landfall_system using (true);
grant select, insert on authority.spent_challenges to landfall_app;
grant select, delete on authority.spent_challenges to landfall_system;
