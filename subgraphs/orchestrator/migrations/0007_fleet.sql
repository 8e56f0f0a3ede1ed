-- Why:  targets have four drivers and can be removed; agents can be revoked and called; what a deployment's components
--       write while it runs is kept for a while.
-- Read: targets/targets.store.ts, agents/agents.store.ts, deployments/logs.store.ts
-- Lock: `targets` and `agents` exclusively, for as long as their few rows are checked and indexed
alter table orchestrator.targets
  drop constraint targets_driver_check,
  add constraint targets_driver_check check (driver in ('process', 'sandbox', 'static_slot', 'compose')),
  -- A removed target stays for the deployments that went there; nobody else finds it, and its name is free.
  add column removed_at timestamptz,
  add column removed_by text,
  add check ((removed_at is null) = (removed_by is null)),
  drop constraint targets_name;
create unique index targets_name on orchestrator.targets (tenant, environment_id, name) where removed_at is null;

-- Whether a deployment under way goes to a target.
create index deployment_targets_target on orchestrator.deployment_targets (tenant, target_id);

alter table orchestrator.agents
  add column revoked_at timestamptz,
  add column revoked_by text,
  add column revocation_reason text,
  -- Somebody asked what runs now: the agent's poll is answered, and it beats at once.
  add column is_called boolean not null default false,
  add check ((state = 'revoked') = (revoked_at is not null)),
  add check ((revoked_at is null) = (revoked_by is null) and (revoked_at is null) = (revocation_reason is null));
-- Polls that wait are asked for by their agents' ids, across tenants.
create index agents_summoned on orchestrator.agents (id) where is_called or state = 'revoked';
grant select (is_called) on orchestrator.agents to landfall_system;

-- How far the log of a deployment on a target has come. Lines are numbered from 1 without a gap; `bytes` is of all there
-- ever were. `task_id`, `fence` and `seq` are the newest message's, so that none counts twice.
create table orchestrator.deployment_log_heads (
  tenant text not null,
  deployment_id uuid not null,
  target_id uuid not null,
  lines bigint not null,
  bytes bigint not null,
  task_id uuid not null,
  fence integer not null,
  seq integer not null,
  -- When followers were told last, and whether there is more since.
  told_at timestamptz not null default kernel.now(),
  has_untold boolean not null default false,
  written_at timestamptz not null default kernel.now(),
  primary key (tenant, deployment_id, target_id),
  foreign key (tenant, deployment_id, target_id)
    references orchestrator.deployment_targets (tenant, deployment_id, target_id)
);
create index deployment_log_heads_untold on orchestrator.deployment_log_heads (told_at) where has_untold;
create index deployment_log_heads_written on orchestrator.deployment_log_heads (written_at);
alter table orchestrator.deployment_log_heads enable row level security;
create policy tenant on orchestrator.deployment_log_heads to landfall_app using (tenant = kernel.tenant());
create policy housekeeping on orchestrator.deployment_log_heads to landfall_system using (true);
grant select, insert, update on orchestrator.deployment_log_heads to landfall_app;
grant select (tenant, deployment_id, target_id, told_at, has_untold, written_at), delete
  on orchestrator.deployment_log_heads to landfall_system;

-- The newest lines; `begin_bytes` is where a line begins among all there ever were. They go with their head.
create table orchestrator.deployment_logs (
  tenant text not null,
  deployment_id uuid not null,
  target_id uuid not null,
  line bigint not null,
  begin_bytes bigint not null,
  component text not null,
  text text not null,
  at timestamptz not null,
  primary key (tenant, deployment_id, target_id, line),
  foreign key (tenant, deployment_id, target_id)
    references orchestrator.deployment_log_heads (tenant, deployment_id, target_id) on delete cascade
);
alter table orchestrator.deployment_logs enable row level security;
create policy tenant on orchestrator.deployment_logs to landfall_app using (tenant = kernel.tenant());
grant select, insert, delete on orchestrator.deployment_logs to landfall_app;
