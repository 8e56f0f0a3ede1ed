-- Why:  delivery metrics read what a product completed in an environment within some days, and the next landing after it.
-- Read: monitoring/delivery/delivery.store.ts
-- Lock: `deployments` against writes, for as long as it takes to read its rows
create index deployments_product_completed
  on orchestrator.deployments (tenant, product_id, environment_id, completed_at) where completed_at is not null;
