-- Why:  approvals are given by people; a client gives one only where the environment's policy names it.
-- Read: environments/environments.store.ts, promotions/approval-rule.ts
-- Lock: environments, exclusively and shortly: a constant default rewrites no row
alter table orchestrator.environments add column approving_client_ids text[] not null default '{}';
