-- Why:  people decide about findings: not affected, accepted, false positive, being fixed; the next release inherits it.
-- Read: triage/*.store.ts, scans/findings.store.ts
-- Lock: share on scanner.alias_group_joins while its index is made
create table scanner.triage_decisions (
  tenant text not null,
  id uuid not null,
  -- The narrower scope wins: component, product, tenant.
  scope text not null check (scope in ('component', 'product', 'tenant')),
  -- As findings have it (proofs 2.1).
  component_key text,
  -- Product of the orchestrator.
  product_id uuid,
  -- Id by which the vulnerability was named.
  vulnerability_id text not null,
  -- Continuity over time, as findings have it: the group may have been joined to an older one since.
  alias_group bigint not null,
  status text not null check (status in ('not_affected', 'accepted', 'false_positive', 'fixing')),
  justification text check (justification in ('component_not_present', 'vulnerable_code_not_present',
    'vulnerable_code_not_in_execute_path', 'vulnerable_code_cannot_be_controlled_by_adversary',
    'inline_mitigations_already_exist')),
  impact_statement text,
  reason text not null check (reason <> ''),
  expires_at timestamptz,
  decided_by text not null,
  decided_at timestamptz not null default kernel.now(),
  revoked_by text,
  revoked_at timestamptz,
  revocation_reason text,
  -- A later decision of the same scope about the same vulnerability.
  superseded_by uuid,
  superseded_at timestamptz,
  -- Time at which the expiry was recorded, in the transaction of its event.
  expired_at timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  check ((scope = 'component') = (component_key is not null)),
  check ((scope = 'product') = (product_id is not null)),
  check (status = 'not_affected' or num_nonnulls(justification, impact_statement) = 0),
  check (status <> 'not_affected' or num_nonnulls(justification, impact_statement) > 0),
  check (status <> 'accepted' or expires_at is not null),
  check (num_nonnulls(revoked_by, revoked_at, revocation_reason) in (0, 3)),
  check (num_nonnulls(superseded_by, superseded_at) in (0, 2)),
  check (num_nonnulls(revoked_at, superseded_at, expired_at) <= 1)
);
create unique index triage_decisions_open on scanner.triage_decisions (tenant, alias_group, scope, component_key, product_id)
  nulls not distinct where revoked_at is null and superseded_at is null and expired_at is null;
-- Across tenants: the worker records those that expired.
create index triage_decisions_expiry on scanner.triage_decisions (expires_at)
  where expires_at is not null and revoked_at is null and superseded_at is null and expired_at is null;
create index triage_decisions_group on scanner.triage_decisions (tenant, alias_group, id);
alter table scanner.triage_decisions enable row level security;
create policy tenant on scanner.triage_decisions to landfall_app using (tenant = kernel.tenant());
create policy work on scanner.triage_decisions for select to landfall_system using (true);
grant select, insert, update on scanner.triage_decisions to landfall_app;
grant select on scanner.triage_decisions to landfall_system;

-- The decision in force about a finding, for every statement that reads it: the narrowest scope, of it the newest. Alias
-- groups that were joined since are one. `products` are those whose releases have the image of the scan.
create function scanner.triage_decision_of(of_tenant text, of_component text, of_group bigint, products uuid[])
  returns setof scanner.triage_decisions language sql stable rows 1 as $$
    select d.* from (
      select coalesce((select j.older from scanner.alias_group_joins j
        where j.tenant = '*' and j.alias_group = of_group), of_group) as alias_group) current
    join scanner.triage_decisions d on d.tenant = of_tenant
      and d.alias_group = any (array(select current.alias_group union all
        select j.alias_group from scanner.alias_group_joins j where j.tenant = '*' and j.older = current.alias_group))
    where d.revoked_at is null and d.superseded_at is null and d.expired_at is null
      and (d.expires_at is null or d.expires_at > kernel.now())
      and (d.scope = 'tenant' or d.component_key = of_component or d.product_id = any (products))
    order by case d.scope when 'component' then 0 when 'product' then 1 else 2 end, d.decided_at desc, d.id desc
    limit 1
$$;
