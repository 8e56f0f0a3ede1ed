import type { Observation } from '@landfall/agent/protocol/messages';
import type { Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { OFFLINE_SECONDS } from '../../catalogue/agents/liveness.ts';
import * as targets from '../../catalogue/targets/target.ts';
import { recordTargetHealth } from '../../catalogue/targets/target-health.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import * as approved from './approved-components.store.ts';
import * as observations from './observations.store.ts';

export const { listByTargets: listObservations, settle: settleObservations } = observations;

const detailOf = ({ health, components }: observations.Judged): string | null => {
  if (health === 'unhealthy') return `not running: ${components}`;
  return health === 'unknown' ? `not seen for ${OFFLINE_SECONDS} s: ${components}` : null;
};

const keep = async (tx: Tx, caller: Who, agent: Id<'Agent'>, observed: readonly Observation[]): Promise<void> => {
  const changed = await observations.record(tx, caller.tenant, agent, observed);
  const byTarget = Map.groupBy(changed, ({ targetId }) => targetId);
  for (const target of await targets.touch(tx, caller.tenant, [...byTarget.keys()])) {
    const own = byTarget.get(target.id) ?? [];
    const publish = (type: string, components: readonly observations.Change[]): Promise<void> =>
      publishEvent(tx, caller, type, 'Target', target, {
        observed: components.map(({ component, digest }) => ({ component, digest })),
      });
    await publish('target.observed', own);
    const started = own.filter(({ drifted, drifts }) => drifts && !drifted);
    const completed = own.filter(({ drifted, drifts }) => drifted && !drifts);
    if (started.length > 0) await publish('estate.driftBegan', started);
    if (completed.length > 0) await publish('estate.driftEnded', completed);
  }
};

/** Stores an agent's observations of its targets and derives their health (orchestrator 3.5). */
export const observe = async (tx: Tx, caller: Who, agent: Id<'Agent'>, observed: readonly Observation[]) => {
  if (observed.length > 0) await keep(tx, caller, agent, observed);
  for (const judged of await observations.listChangedHealth(tx, caller.tenant, agent, OFFLINE_SECONDS))
    await recordTargetHealth(tx, caller, judged.targetId, { state: judged.health, detail: detailOf(judged) });
};

/** Records a landing: its components become the approved ones of the target, and the target becomes healthy. */
export const settle = async (
  tx: Tx,
  caller: Who,
  deployment: { readonly id: Id<'Deployment'>; readonly releaseId: Id<'Release'> },
  target: Id<'Target'>,
  landed: readonly observations.Landed[],
): Promise<void> => {
  await approved.replace(tx, caller.tenant, {
    targetId: target,
    releaseId: deployment.releaseId,
    deploymentId: deployment.id,
  });
  await observations.settle(tx, caller.tenant, caller.subject, target, landed);
  for (const touched of await targets.touch(tx, caller.tenant, [target]))
    await publishEvent(tx, caller, 'estate.landed', 'Target', touched, {
      deployment: deployment.id,
      release: deployment.releaseId,
    });
  await recordTargetHealth(tx, caller, target, { state: 'healthy', detail: null });
};

/** Sets the health of an offline agent's targets to unknown. */
export const markHealthUnknown = async (tx: Tx, caller: Who, agent: Id<'Agent'>): Promise<void> => {
  for (const target of await targets.listByAgent(tx, caller.tenant, agent))
    if (targets.isEnabled(target) && target.healthState !== 'unknown')
      await recordTargetHealth(tx, caller, target.id, { state: 'unknown', detail: 'its agent does not report' });
};
