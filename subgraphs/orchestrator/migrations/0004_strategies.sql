-- Why:  a deployment goes phase by phase, waits between them, can be stopped on the way, tried again and undone.
-- Read: deployments/deployments.store.ts, deployments/deployment-phases.store.ts, deployments/runner.store.ts
-- Lock: the tables of deployments, for as long as it takes to rewrite their plans and checks
alter table orchestrator.environments
  add column strategy_params jsonb not null
    default '{"batchPercent": 25, "canarySteps": [10, 50, 100], "gate": "manual"}',
  -- How a canary is judged by its metrics; null where nobody said.
  add column analysis jsonb;

alter table orchestrator.promotions
  -- The promotion whose deployment failed and that this one tries again.
  add column retry_of_id uuid,
  add foreign key (tenant, retry_of_id) references orchestrator.promotions (tenant, id);

drop index orchestrator.deployments_active;
drop index orchestrator.deployments_open;
alter table orchestrator.deployments
  drop constraint deployments_kind_check,
  drop constraint deployments_state_check,
  drop constraint deployments_check,
  drop constraint deployments_check1;
alter table orchestrator.deployments
  add column pause_reason text check (pause_reason in ('traffic_gate', 'manual')),
  -- What was left until the deadline when it was paused: time spent waiting does not count.
  add column seconds_left integer,
  -- When the analysis of the gate it waits at asks next.
  add column next_check_at timestamptz,
  -- Why it was rolled back, halted or cancelled, as somebody said.
  add column reason text,
  -- The version of the environment's variables that it uses.
  add column variable_set_version integer,
  -- A rollback: the deployment that it undoes; and of that one, the rollback.
  add column previous_deployment_id uuid,
  add column undone_by_id uuid,
  add column retry_of_id uuid,
  add foreign key (tenant, previous_deployment_id) references orchestrator.deployments (tenant, id),
  add foreign key (tenant, undone_by_id) references orchestrator.deployments (tenant, id),
  add foreign key (tenant, retry_of_id) references orchestrator.deployments (tenant, id),
  add constraint deployments_kind check (kind in ('deploy', 'rollback')),
  add constraint deployments_state check (state in ('queued', 'preflight', 'planning', 'in_progress', 'paused',
    'verifying', 'completed', 'failed', 'cancelling', 'cancelled', 'rollback_in_progress', 'rolled_back',
    'rollback_failed')),
  add constraint deployments_ended check (
    (state in ('completed', 'failed', 'cancelled', 'rollback_in_progress', 'rolled_back', 'rollback_failed'))
      = (completed_at is not null)),
  -- One that is undone keeps why it had failed.
  add constraint deployments_anatomy check (
    case state
      when 'failed' then anatomy is not null
      when 'rollback_in_progress' then true
      when 'rolled_back' then true
      when 'rollback_failed' then true
      else anatomy is null
    end),
  add constraint deployments_paused check (
    (state = 'paused') = (pause_reason is not null) and (state = 'paused') = (seconds_left is not null)),
  add constraint deployments_undoes check ((kind = 'rollback') = (previous_deployment_id is not null));
-- One job at a time in an environment: the index is the rule. One that is being undone has ended; what is under way then is
-- its rollback, a job of its own.
create unique index deployments_active on orchestrator.deployments (tenant, environment_id)
  where state not in ('completed', 'failed', 'cancelled', 'rollback_in_progress', 'rolled_back', 'rollback_failed');
create index deployments_open on orchestrator.deployments (deadline_at)
  where state not in ('completed', 'failed', 'cancelled', 'rollback_in_progress', 'rolled_back', 'rollback_failed');
create index deployments_check on orchestrator.deployments (next_check_at) where next_check_at is not null;
grant select (next_check_at) on orchestrator.deployments to landfall_system;

update orchestrator.deployments as job
set plan = jsonb_set(job.plan, '{phases}', (
  select coalesce(jsonb_agg('{"weight": null, "gate": null}' || phase order by phase -> 'index'), '[]')
  from jsonb_array_elements(job.plan -> 'phases') as phase));

create table orchestrator.deployment_phases (
  tenant text not null,
  deployment_id uuid not null,
  index integer not null check (index >= 0),
  kind text not null check (kind in ('all', 'batch', 'canary', 'provision', 'switch', 'retire')),
  target_count integer not null check (target_count > 0),
  -- The new release's share of the traffic on each target; null where nothing divides it.
  weight integer check (weight between 0 and 100),
  -- What is to be passed after it before the next one begins.
  gate text check (gate in ('manual', 'analysis')),
  status text not null default 'pending'
    check (status in ('pending', 'running', 'held', 'done', 'failed', 'skipped')),
  started_at timestamptz,
  -- When its targets had done their part; a gate may be closed after that.
  ended_at timestamptz,
  primary key (tenant, deployment_id, index),
  foreign key (tenant, deployment_id) references orchestrator.deployments (tenant, id),
  check ((status in ('pending', 'skipped')) = (started_at is null)),
  check ((status in ('held', 'done', 'failed')) = (ended_at is not null))
);
alter table orchestrator.deployment_phases enable row level security;
create policy tenant on orchestrator.deployment_phases to landfall_app using (tenant = kernel.tenant());
grant select, insert, update on orchestrator.deployment_phases to landfall_app;

-- Deployments of before had one phase; what became of it is what became of its targets.
insert into orchestrator.deployment_phases
  (tenant, deployment_id, index, kind, target_count, status, started_at, ended_at)
select job.tenant, job.id, (phase ->> 'index')::integer, phase ->> 'kind', (phase ->> 'targetCount')::integer,
  became.status,
  case when became.status not in ('pending', 'skipped') then coalesce(job.started_at, job.created_at) end,
  case when became.status in ('done', 'failed') then coalesce(job.completed_at, kernel.now()) end
from orchestrator.deployments as job
cross join lateral jsonb_array_elements(job.plan -> 'phases') as phase
cross join lateral (
  select case
    when job.state = 'completed' then 'done'
    when job.state = 'failed' and exists (
      select from orchestrator.deployment_steps as step
      where step.tenant = job.tenant and step.deployment_id = job.id and step.stage in ('execution', 'health-probe')
    ) then 'failed'
    when job.state = 'failed' then 'skipped'
    when job.state in ('in_progress', 'verifying') then 'running'
    else 'pending'
  end as status
) as became;

-- What an agent is to do; one that takes a release back waits for its agent, however long that is away.
alter table orchestrator.agent_tasks
  add column action text not null default 'apply' check (action in ('apply', 'withdraw'));
grant select (action) on orchestrator.agent_tasks to landfall_system;
-- Tasks were written without it, and an agent reads none that says nothing of it.
update orchestrator.agent_tasks
set spec = '{"action": "apply", "traffic": {"weight": 100, "retire": true}, "place": null}' || spec
where state in ('pending', 'leased', 'running');

alter table orchestrator.deployment_targets
  drop constraint deployment_targets_state_check,
  add constraint deployment_targets_state
    check (state in ('pending', 'running', 'held', 'succeeded', 'failed', 'cancelled'));
