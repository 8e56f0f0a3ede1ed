-- Why:  a promotion that is launched becomes a job: one row a job, one a target of it, one a step.
-- Read: deployments/deployments.store.ts, deployments/deployment-targets.store.ts, deployments/runner.store.ts
-- Lock: none; new tables
create table orchestrator.deployments (
  tenant text not null,
  id uuid not null,
  promotion_id uuid not null,
  release_id uuid not null,
  environment_id uuid not null,
  kind text not null check (kind in ('deploy')),
  strategy text not null check (strategy in ('all_at_once', 'rolling', 'canary', 'blue_green')),
  state text not null default 'queued'
    check (state in ('queued', 'preflight', 'planning', 'in_progress', 'verifying', 'completed', 'failed')),
  plan jsonb not null,
  -- Checks that were unknown at launch and that the launcher had seen.
  acknowledged text[] not null,
  anatomy jsonb,
  landing text check (landing in ('verified', 'mismatch', 'unverified')),
  launched_by text not null,
  created_at timestamptz not null default kernel.now(),
  started_at timestamptz,
  completed_at timestamptz,
  deadline_at timestamptz not null,
  -- Until when a runner has this job to itself for what needs time or the network.
  lease_until timestamptz,
  version integer not null default 1,
  primary key (tenant, id),
  foreign key (tenant, promotion_id) references orchestrator.promotions (tenant, id),
  foreign key (tenant, release_id) references orchestrator.releases (tenant, id),
  foreign key (tenant, environment_id) references orchestrator.environments (tenant, id),
  check ((state in ('completed', 'failed')) = (completed_at is not null)),
  check ((state = 'failed') = (anatomy is not null))
);
-- One job at a time in an environment: the index is the rule.
create unique index deployments_active on orchestrator.deployments (tenant, environment_id)
  where state not in ('completed', 'failed');
create index deployments_environment on orchestrator.deployments (tenant, environment_id, id);
create index deployments_release on orchestrator.deployments (tenant, release_id, id);
create index deployments_promotion on orchestrator.deployments (tenant, promotion_id, id);
create index deployments_open on orchestrator.deployments (deadline_at) where state not in ('completed', 'failed');
alter table orchestrator.deployments enable row level security;
create policy tenant on orchestrator.deployments to landfall_app using (tenant = kernel.tenant());
create policy runner on orchestrator.deployments to landfall_system using (true);
grant select, insert, update on orchestrator.deployments to landfall_app;
grant select (tenant, id, state, deadline_at, lease_until), update (lease_until)
  on orchestrator.deployments to landfall_system;

create table orchestrator.deployment_targets (
  tenant text not null,
  deployment_id uuid not null,
  target_id uuid not null,
  name text not null,
  agent_id uuid,
  phase_index integer not null,
  state text not null default 'pending' check (state in ('pending', 'running', 'succeeded', 'failed')),
  anatomy jsonb,
  landing jsonb,
  log_tail text,
  primary key (tenant, deployment_id, target_id),
  foreign key (tenant, deployment_id) references orchestrator.deployments (tenant, id),
  foreign key (tenant, target_id) references orchestrator.targets (tenant, id),
  check ((state = 'failed') = (anatomy is not null))
);
alter table orchestrator.deployment_targets enable row level security;
create policy tenant on orchestrator.deployment_targets to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.deployment_targets to landfall_app;

create table orchestrator.deployment_steps (
  tenant text not null,
  deployment_id uuid not null,
  target_id uuid not null,
  id bigint generated always as identity,
  stage text not null,
  step text not null,
  detail text,
  at timestamptz not null default kernel.now(),
  primary key (tenant, deployment_id, target_id, id),
  foreign key (tenant, deployment_id, target_id)
    references orchestrator.deployment_targets (tenant, deployment_id, target_id)
);
alter table orchestrator.deployment_steps enable row level security;
create policy tenant on orchestrator.deployment_steps to landfall_app using (tenant = kernel.tenant());
grant select, insert on orchestrator.deployment_steps to landfall_app;
