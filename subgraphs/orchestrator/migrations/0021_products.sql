-- Why:  a tenant ships many products, each along its own path; releases, targets and deployments belong to one product.
-- Read: products/products.store.ts, products/path-steps.store.ts
-- Lock: `environments`, `releases`, `targets` and `deployments` against everything, for as long as it takes to rewrite their rows; servers of
--       the version before go on with what runs, and cannot launch until they are replaced
create table orchestrator.products (
  tenant text not null,
  id uuid not null,
  name text not null,
  description text,
  owner_groups text[] not null default '{}',
  labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'),
  -- Null: releases choose their components.
  components jsonb check (jsonb_typeof(components) = 'array'),
  -- False: the path is the tenant's environments in order.
  has_own_path boolean not null default false,
  removed_at timestamptz,
  removed_by text,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id)
);
create unique index products_name on orchestrator.products (tenant, name) where removed_at is null;
alter table orchestrator.products enable row level security;
create policy tenant on orchestrator.products to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.products to landfall_app;

create table orchestrator.path_steps (
  tenant text not null,
  product_id uuid not null,
  environment_id uuid not null,
  after uuid[] not null,
  need text not null check (need in ('all', 'any')),
  target_labels jsonb not null check (jsonb_typeof(target_labels) = 'object'),
  policy jsonb not null check (jsonb_typeof(policy) = 'object'),
  primary key (tenant, product_id, environment_id),
  foreign key (tenant, product_id) references orchestrator.products (tenant, id),
  foreign key (tenant, environment_id) references orchestrator.environments (tenant, id)
);
create index path_steps_environment on orchestrator.path_steps (tenant, environment_id);
alter table orchestrator.path_steps enable row level security;
create policy tenant on orchestrator.path_steps to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on orchestrator.path_steps to landfall_app;

-- An environment that is removed stays for the deployments that went there; its name and order index are free.
alter table orchestrator.environments
  add column removed_at timestamptz,
  add column removed_by text,
  drop constraint environments_name,
  drop constraint environments_order;
create unique index environments_name on orchestrator.environments (tenant, name) where removed_at is null;
create unique index environments_order on orchestrator.environments (tenant, order_index) where removed_at is null;

-- Each distinct name of a release was a product; its path stays the environments in order.
alter table orchestrator.releases add column product_id uuid;
insert into orchestrator.products (tenant, id, name, created_by, created_at, updated_by)
select distinct on (tenant, name) tenant, gen_random_uuid(), name, created_by, created_at, created_by
from orchestrator.releases order by tenant, name, created_at, id;
update orchestrator.releases as r set product_id = p.id
from orchestrator.products as p where p.tenant = r.tenant and p.name = r.name;
alter table orchestrator.releases
  alter column product_id set not null,
  add foreign key (tenant, product_id) references orchestrator.products (tenant, id);
alter table orchestrator.releases
  drop constraint releases_name,
  add constraint releases_name unique (tenant, product_id, semver);
create index releases_product on orchestrator.releases (tenant, product_id, id);
create index releases_by_name on orchestrator.releases (tenant, name, id);

alter table orchestrator.deployments add column product_id uuid;
update orchestrator.deployments as d set product_id = r.product_id
from orchestrator.releases as r where r.tenant = d.tenant and r.id = d.release_id;
alter table orchestrator.deployments
  alter column product_id set not null,
  add foreign key (tenant, product_id) references orchestrator.products (tenant, id);
-- One running deployment of a product in an environment: the index is the rule.
drop index orchestrator.deployments_active;
create unique index deployments_active on orchestrator.deployments (tenant, product_id, environment_id)
  where state not in ('completed', 'failed', 'cancelled', 'rollback_in_progress', 'rolled_back', 'rollback_failed');
create index deployments_product_newest
  on orchestrator.deployments (tenant, product_id, environment_id, created_at, id);

-- A target carries one product: that of what landed there last. Without one it is the first product's that is deployed to it.
alter table orchestrator.targets
  add column product_id uuid,
  add column labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object');
update orchestrator.targets as t set product_id = last.product_id
from (
  select distinct on (a.tenant, a.target_id) a.tenant, a.target_id, r.product_id
  from orchestrator.approved_components as a
  join orchestrator.releases as r on r.tenant = a.tenant and r.id = a.release_id
  order by a.tenant, a.target_id, a.landed_at desc, r.id desc
) as last
where last.tenant = t.tenant and last.target_id = t.id;
create index targets_product on orchestrator.targets (tenant, product_id) where removed_at is null;
alter table orchestrator.targets add foreign key (tenant, product_id) references orchestrator.products (tenant, id);

-- For servers of the version before, which know no products.
create function orchestrator.set_release_product() returns trigger language plpgsql set search_path = '' as $$
begin
  insert into orchestrator.products (tenant, id, name, created_by, updated_by)
  values (new.tenant, gen_random_uuid(), new.name, new.created_by, new.created_by)
  on conflict (tenant, name) where removed_at is null do nothing;
  select id into new.product_id from orchestrator.products
  where tenant = new.tenant and name = new.name and removed_at is null;
  return new;
end $$;
create trigger releases_product before insert on orchestrator.releases
  for each row when (new.product_id is null) execute function orchestrator.set_release_product();
create function orchestrator.set_deployment_product() returns trigger language plpgsql set search_path = '' as $$
begin
  select product_id into new.product_id from orchestrator.releases where tenant = new.tenant and id = new.release_id;
  return new;
end $$;
create trigger deployments_product before insert on orchestrator.deployments
  for each row when (new.product_id is null) execute function orchestrator.set_deployment_product();
