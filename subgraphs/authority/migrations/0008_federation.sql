-- Why:  people sign in through an OpenID Connect provider that their tenant trusts.
-- Read: federation/providers.store.ts, federation/identities.store.ts
-- Lock: none; new tables
create table authority.identity_providers (
  tenant text not null references authority.tenants (tenant),
  id uuid not null,
  name text not null,
  issuer text not null,
  client_id text not null,
  sealed_secret bytea not null,
  scopes text[] not null,
  domains text[] not null,
  groups_claim text not null,
  creates_users boolean not null,
  active boolean not null default true,
  created_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id)
);
create unique index identity_providers_name on authority.identity_providers (tenant, lower(name));
alter table authority.identity_providers enable row level security;
create policy tenant on authority.identity_providers to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on authority.identity_providers to landfall_app;

-- The sign-in page knows a user name and no tenant: the domain must tell whose provider it is.
create table authority.identity_provider_domains (
  tenant text not null,
  provider_id uuid not null,
  domain text not null check (domain = lower(domain)),
  -- False while the provider is not trusted; the domain stays claimed.
  active boolean not null default true,
  primary key (tenant, provider_id, domain),
  foreign key (tenant, provider_id) references authority.identity_providers (tenant, id) on delete cascade
);
create unique index identity_provider_domains_one on authority.identity_provider_domains (domain);
alter table authority.identity_provider_domains enable row level security;
create policy tenant on authority.identity_provider_domains to landfall_app using (tenant = kernel.tenant());
create policy sign_in on authority.identity_provider_domains for select to landfall_system using (true);
grant select, insert, update, delete on authority.identity_provider_domains to landfall_app;
grant select on authority.identity_provider_domains to landfall_system;

-- Whom a provider means by a subject.
create table authority.external_identities (
  tenant text not null,
  provider_id uuid not null,
  subject text not null,
  user_id uuid not null,
  created_at timestamptz not null default kernel.now(),
  last_seen_at timestamptz not null default kernel.now(),
  primary key (tenant, provider_id, subject),
  foreign key (tenant, provider_id) references authority.identity_providers (tenant, id) on delete cascade,
  foreign key (tenant, user_id) references authority.users (tenant, id)
);
-- A person is one subject of a provider, so that a second one never takes the first one's place.
create unique index external_identities_user on authority.external_identities (tenant, provider_id, user_id);
create index external_identities_person on authority.external_identities (tenant, user_id);
alter table authority.external_identities enable row level security;
create policy tenant on authority.external_identities to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on authority.external_identities to landfall_app;
