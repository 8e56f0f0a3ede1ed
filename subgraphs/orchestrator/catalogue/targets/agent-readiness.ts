import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import * as agents from '../agents/agent.ts';
import { type Readiness, readinessOf } from '../agents/liveness.ts';
import { drivers } from './drivers.ts';
import type { Target } from './targets.store.ts';

/** Lists the readiness of each target's agent for that target's driver, by target id. */
export const listReadiness = async (
  query: Query,
  tenant: TenantId,
  targets: readonly Pick<Target, 'id' | 'agentId' | 'driver'>[],
): Promise<ReadonlyMap<string, Readiness>> => {
  const ids = targets.flatMap(({ agentId }) => agentId ?? []);
  const found = new Map((await agents.listByIds(query, tenant, ids)).map((agent) => [agent.id, agent]));
  return new Map(
    targets.map(({ id, agentId, driver }) => {
      const agent = agentId === null ? undefined : found.get(agentId);
      return [id, agent ? readinessOf(agent, drivers[driver].capability) : 'absent'];
    }),
  );
};
