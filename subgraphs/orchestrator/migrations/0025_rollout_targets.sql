-- Why:  a target of a deployment under way belongs to that deployment's product, also when nothing has landed there yet or
--       the last landing was another product's; otherwise another product could be deployed to it meanwhile.
-- Read: targets/targets.store.ts claim
-- Lock: the rows of these targets; new launches wait for as long as it takes
update orchestrator.targets as t set product_id = d.product_id
from orchestrator.deployments as d
join orchestrator.deployment_targets as at on at.tenant = d.tenant and at.deployment_id = d.id
where d.completed_at is null and t.tenant = at.tenant and t.id = at.target_id
  and t.product_id is distinct from d.product_id;
