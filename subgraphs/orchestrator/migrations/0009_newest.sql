-- Why:  the newest deployment of an environment is the one that the database's clock saw last; ids are made by servers, whose
--       clocks differ.
-- Read: deployments/deployments.store.ts, deployments/rollback.store.ts
-- Lock: `deployments` against writes, for as long as it takes to read its rows
create index deployments_environment_newest on orchestrator.deployments (tenant, environment_id, created_at, id);
