-- Why:  what a target is told to do takes the place of what it was still to do, so open tasks are found by their target;
--       and those that were written before agents had secrets of their own are read like any other.
-- Read: agents/tasks.store.ts supersedeAt, agents/task-message.ts
-- Lock: `agent_tasks` against writes, for as long as it takes to read its open tasks
create index agent_tasks_target on orchestrator.agent_tasks (tenant, target_id)
  where state in ('pending', 'leased', 'running');

update orchestrator.agent_tasks set spec = jsonb_set(spec, '{spec,agentSecrets}', '{}')
where state in ('pending', 'leased', 'running') and not spec -> 'spec' ? 'agentSecrets';
