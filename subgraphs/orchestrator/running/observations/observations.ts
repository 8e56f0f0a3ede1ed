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

const keep = async (tx: Tx, who: Who, agent: Id<'Agent'>, observed: readonly Observation[]): Promise<void> => {
  const changed = await observations.record(tx, who.tenant, agent, observed);
  const byTarget = Map.groupBy(changed, ({ targetId }) => targetId);
  for (const target of await targets.touch(tx, who.tenant, [...byTarget.keys()])) {
    const here = byTarget.get(target.id) ?? [];
    const publish = (type: string, components: readonly observations.Change[]): Promise<void> =>
      publishEvent(tx, who, type, 'Target', target, {
        observed: components.map(({ component, digest }) => ({ component, digest })),
      });
    await publish('target.observed', here);
    const begun = here.filter(({ drifted, drifts }) => drifts && !drifted);
    const ended = here.filter(({ drifted, drifts }) => drifted && !drifts);
    if (begun.length > 0) await publish('estate.driftBegan', begun);
    if (ended.length > 0) await publish('estate.driftEnded', ended);
  }
};

/** Stores an agent's observations of its targets and derives their health (orchestrator 3.5). */
export const observe = async (tx: Tx, who: Who, agent: Id<'Agent'>, observed: readonly Observation[]) => {
  if (observed.length > 0) await keep(tx, who, agent, observed);
  for (const judged of await observations.listChangedHealth(tx, who.tenant, agent, OFFLINE_SECONDS))
    await recordTargetHealth(tx, who, judged.targetId, { state: judged.health, detail: detailOf(judged) });
};

/** Records a landing: its components become the approved ones of the target, and the target becomes healthy. */
export const settle = async (
  tx: Tx,
  who: Who,
  deployment: { readonly id: Id<'Deployment'>; readonly releaseId: Id<'Release'> },
  target: Id<'Target'>,
  landed: readonly observations.Landed[],
): Promise<void> => {
  await approved.replace(tx, who.tenant, {
    targetId: target,
    releaseId: deployment.releaseId,
    deploymentId: deployment.id,
  });
  await observations.settle(tx, who.tenant, who.subject, target, landed);
  for (const touched of await targets.touch(tx, who.tenant, [target]))
    await publishEvent(tx, who, 'estate.landed', 'Target', touched, {
      deployment: deployment.id,
      release: deployment.releaseId,
    });
  await recordTargetHealth(tx, who, target, { state: 'healthy', detail: null });
};

/** Sets the health of an offline agent's targets to unknown. */
export const markHealthUnknown = async (tx: Tx, who: Who, agent: Id<'Agent'>): Promise<void> => {
  for (const target of await targets.listByAgent(tx, who.tenant, agent))
    if (targets.isEnabled(target) && target.healthState !== 'unknown')
      await recordTargetHealth(tx, who, target.id, { state: 'unknown', detail: 'its agent does not report' });
};
