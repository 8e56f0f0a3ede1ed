-- Why:  what a release runs with comes from its environment's variables and from vaults, and what it does with them is
--       measured at the gates of a canary.
-- Read: variables/variable-sets.store.ts, secrets/providers.store.ts, analysis/measurements.store.ts,
--       integrations/integrations.store.ts listRegistriesByHosts
-- Lock: `integrations` exclusively, for as long as its few rows are checked and indexed
-- Append only: a deployment names the version that it used, and a rollback reads it again.
create table orchestrator.variable_sets (
  tenant text not null,
  environment_id uuid not null,
  version integer not null check (version > 0),
  -- [{name, value, secret}]: one of value and secret is null.
  variables jsonb not null,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  constraint variable_sets_version primary key (tenant, environment_id, version),
  foreign key (tenant, environment_id) references orchestrator.environments (tenant, id)
);
alter table orchestrator.variable_sets enable row level security;
create policy tenant on orchestrator.variable_sets to landfall_app using (tenant = kernel.tenant());
grant select, insert on orchestrator.variable_sets to landfall_app;

-- Found by the name that references hold; `token` is sealed under the provider's id.
create table orchestrator.secret_providers (
  tenant text not null,
  id uuid not null,
  name text not null,
  kind text not null check (kind in ('vault_kv')),
  address text not null,
  mount text not null,
  token bytea not null,
  probe_ok boolean,
  probe_code text,
  probe_detail text,
  probe_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  updated_by text not null,
  updated_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id),
  constraint secret_providers_name unique (tenant, name),
  check ((probe_ok is null) = (probe_at is null))
);
alter table orchestrator.secret_providers enable row level security;
create policy tenant on orchestrator.secret_providers to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.secret_providers to landfall_app;

-- What a metrics server said at a gate, oldest first; a value is null where there was none.
create table orchestrator.canary_measurements (
  tenant text not null,
  deployment_id uuid not null,
  id bigint generated always as identity,
  phase_index integer not null,
  value double precision,
  verdict text not null check (verdict in ('pass', 'fail', 'unknown')),
  detail text not null,
  at timestamptz not null default kernel.now(),
  primary key (tenant, deployment_id, id),
  foreign key (tenant, deployment_id) references orchestrator.deployments (tenant, id),
  check (value is not null or verdict = 'unknown')
);
alter table orchestrator.canary_measurements enable row level security;
create policy tenant on orchestrator.canary_measurements to landfall_app using (tenant = kernel.tenant());
grant select, insert on orchestrator.canary_measurements to landfall_app;

-- A host belongs to one registry; a metrics server may answer beside it.
alter table orchestrator.integrations drop constraint integrations_kind_check;
alter table orchestrator.integrations add constraint integrations_kind_check check (kind in ('registry', 'metrics'));
alter table orchestrator.integrations drop constraint integrations_host;
create unique index integrations_host on orchestrator.integrations (tenant, host) where kind = 'registry';
