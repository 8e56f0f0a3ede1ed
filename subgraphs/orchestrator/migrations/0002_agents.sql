-- Why:  agents register once with a token, prove themselves by certificate, lease tasks and report what they see.
-- Read: agents/agents.store.ts, agents/registration-tokens.store.ts, agents/tasks.store.ts, agents/observations.store.ts
-- Lock: none; new tables
-- The certificate authority of the agents: one an installation, made by whoever comes first, its key sealed.
create table orchestrator.agent_authorities (
  id integer primary key check (id = 1),
  certificate text not null,
  sealed_key bytea not null,
  created_at timestamptz not null default kernel.now()
);
grant select, insert on orchestrator.agent_authorities to landfall_system;

create table orchestrator.agents (
  tenant text not null,
  id uuid not null,
  name text not null,
  state text not null check (state in ('active', 'stale', 'offline', 'revoked')),
  software_version text not null,
  spiffe_id text not null,
  -- Serials that identify it: the current certificate's, and the one before while a renewal is under way.
  certificate_serial text not null,
  previous_serial text,
  certificate_not_after timestamptz not null,
  -- SubjectPublicKeyInfo, PEM: secrets of its tasks are sealed to it.
  public_key text not null,
  capabilities jsonb not null,
  host_facts jsonb not null,
  -- Environments whose targets it may serve; null means all.
  environment_ids uuid[],
  last_heartbeat_at timestamptz not null default kernel.now(),
  clock_skew_ms integer,
  disk_free bigint,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  version integer not null default 1,
  primary key (tenant, id)
);
create unique index agents_name on orchestrator.agents (tenant, name) where state <> 'revoked';
create index agents_heartbeat on orchestrator.agents (last_heartbeat_at) where state in ('active', 'stale');
alter table orchestrator.agents enable row level security;
create policy tenant on orchestrator.agents to landfall_app using (tenant = kernel.tenant());
create policy identification on orchestrator.agents for select to landfall_system using (true);
grant select, insert, update on orchestrator.agents to landfall_app;
grant select (tenant, id, state, certificate_serial, previous_serial, last_heartbeat_at)
  on orchestrator.agents to landfall_system;
alter table orchestrator.targets
  add foreign key (tenant, agent_id) references orchestrator.agents (tenant, id);

create table orchestrator.registration_tokens (
  tenant text not null,
  id uuid not null,
  hash text not null,
  environment_ids uuid[],
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by_agent_id uuid,
  created_by text not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, id)
);
create unique index registration_tokens_hash on orchestrator.registration_tokens (tenant, hash);
create index registration_tokens_lookup on orchestrator.registration_tokens (hash);
alter table orchestrator.registration_tokens enable row level security;
create policy tenant on orchestrator.registration_tokens to landfall_app using (tenant = kernel.tenant());
create policy registration on orchestrator.registration_tokens for select to landfall_system using (true);
grant select, insert, update on orchestrator.registration_tokens to landfall_app;
grant select (tenant, hash) on orchestrator.registration_tokens to landfall_system;

-- The row is the job: a lease that ran out is due again, and the fence tells an old holder from the new.
create table orchestrator.agent_tasks (
  tenant text not null,
  id uuid not null,
  deployment_id uuid not null,
  target_id uuid not null,
  agent_id uuid not null,
  spec jsonb not null,
  secret_refs jsonb not null,
  state text not null default 'pending'
    check (state in ('pending', 'leased', 'running', 'succeeded', 'failed', 'expired', 'superseded')),
  fence integer not null default 0,
  attempt integer not null default 0,
  last_seq integer not null default 0,
  lease_until timestamptz,
  deadline_at timestamptz not null,
  created_at timestamptz not null default kernel.now(),
  primary key (tenant, id),
  foreign key (tenant, agent_id) references orchestrator.agents (tenant, id)
);
create index agent_tasks_due on orchestrator.agent_tasks (tenant, agent_id, id)
  where state in ('pending', 'leased', 'running');
create index agent_tasks_deployment on orchestrator.agent_tasks (tenant, deployment_id);
create index agent_tasks_lease on orchestrator.agent_tasks (lease_until) where state in ('leased', 'running');
alter table orchestrator.agent_tasks enable row level security;
create policy tenant on orchestrator.agent_tasks to landfall_app using (tenant = kernel.tenant());
create policy watch on orchestrator.agent_tasks for select to landfall_system using (true);
grant select, insert, update on orchestrator.agent_tasks to landfall_app;
grant select (tenant, id, agent_id, state, attempt, lease_until, deadline_at)
  on orchestrator.agent_tasks to landfall_system;

-- What runs, as its agent last saw it; a null digest says that it could not be told, and why. When it was seen is by the
-- agent's clock and when that was told by ours.
create table orchestrator.observations (
  tenant text not null,
  target_id uuid not null,
  component text not null,
  agent_id uuid not null,
  running boolean not null,
  digest text,
  reason text,
  observed_at timestamptz not null,
  told_at timestamptz not null,
  primary key (tenant, target_id, component),
  foreign key (tenant, target_id) references orchestrator.targets (tenant, id)
);
alter table orchestrator.observations enable row level security;
create policy tenant on orchestrator.observations to landfall_app using (tenant = kernel.tenant());
grant select, insert, update, delete on orchestrator.observations to landfall_app;
