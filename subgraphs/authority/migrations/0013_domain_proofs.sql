-- Why:  a tenant registered a provider for another tenant's e-mail domain, and that tenant's people were sent to it. A
--       domain routes sign-ins only once its tenant has proven it.
-- Read: federation/domains.store.ts, federation/providers.store.ts, federation/arrivals.ts
-- Lock: identity_provider_domains, exclusively and shortly: some rows a tenant
alter table authority.identity_provider_domains
  -- Published as `landfall-domain-verification=<token>` in a TXT record of the domain.
  add column token text not null default replace(gen_random_uuid()::text, '-', ''),
  add column proven_by text check (proven_by in ('dns', 'operator')),
  add column proven_at timestamptz,
  -- The last look-up, and why it proved nothing.
  add column checked_at timestamptz,
  add column problem text,
  add constraint identity_provider_domains_proof check ((proven_by is null) = (proven_at is null));

-- Where one tenant is there is nobody whose domain could have been taken: its people go on as before. A tenant without
-- people counts, since its own may all be other tenants' by a domain that was taken. `landfall` is the platform's own.
update authority.identity_provider_domains set proven_by = 'operator', proven_at = kernel.now()
where (select count(*) from authority.tenants where tenant <> 'landfall') <= 1;

-- Many may claim a domain, one has proven it; within a tenant it is one provider's.
drop index authority.identity_provider_domains_one;
create unique index identity_provider_domains_one on authority.identity_provider_domains (domain)
  where proven_at is not null;
create unique index identity_provider_domains_tenant on authority.identity_provider_domains (tenant, domain);
