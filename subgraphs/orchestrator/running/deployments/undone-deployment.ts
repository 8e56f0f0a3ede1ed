import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { publishEvent } from '../../shared/publish-event.ts';
import * as deployments from './deployments.store.ts';

type Deployment = deployments.Deployment;

const publish = (tx: Tx, who: Who, type: string, undone: Deployment, rollback: Deployment): Promise<void> =>
  publishEvent(tx, who, type, 'Deployment', undone, { state: undone.state, rollback: rollback.id });

/** Marks an ended, locked deployment as being undone by a rollback, and publishes the event. */
export const markRollingBack = async (tx: Tx, who: Who, { id }: Deployment, rollback: Deployment): Promise<void> => {
  const undone = await deployments.markRollingBack(tx, who.tenant, id, rollback.id);
  await publish(tx, who, 'deployment.advance', undone, rollback);
};

/** Settles the undone deployment in the transaction that ends its rollback. */
export const settleRolledBack = async (tx: Tx, who: Who, rollback: Deployment): Promise<void> => {
  const { previousDeploymentId } = rollback;
  const undone = previousDeploymentId && (await deployments.findLocked(tx, who.tenant, previousDeploymentId));
  if (!undone) return;
  const state = rollback.state === 'completed' ? 'rolled_back' : 'rollback_failed';
  const moved = await deployments.move(tx, who.tenant, undone, state);
  await publish(tx, who, `deployment.${state}`, moved, rollback);
};
