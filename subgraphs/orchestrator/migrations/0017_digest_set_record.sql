-- Why:  who approves or launches sees what became of the same digest set wherever it was deployed.
-- Read: deployments/outcomes.store.ts
-- Lock: `promotions` against writes, for as long as it takes to read its rows
create index promotions_digest_set on orchestrator.promotions (tenant, gated_digest_set);
