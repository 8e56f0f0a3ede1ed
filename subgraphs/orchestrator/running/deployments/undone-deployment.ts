import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { publishEvent } from '../../shared/publish-event.ts';
import * as deployments from './deployments.store.ts';

type Deployment = deployments.Deployment;

const publish = (
  tx: Tx,
  caller: Who,
  type: string,
  undoneDeployment: Deployment,
  rollback: Deployment,
): Promise<void> =>
  publishEvent(tx, caller, type, 'Deployment', undoneDeployment, {
    state: undoneDeployment.state,
    rollback: rollback.id,
  });

/** Marks an ended, locked deployment as being undone by a rollback, and publishes the event. */
export const markRollingBack = async (tx: Tx, caller: Who, { id }: Deployment, rollback: Deployment): Promise<void> => {
  const undoneDeployment = await deployments.markRollingBack(tx, caller.tenant, id, rollback.id);
  await publish(tx, caller, 'deployment.advance', undoneDeployment, rollback);
};

/** Settles the undone deployment in the transaction that ends its rollback. */
export const settleRolledBack = async (tx: Tx, caller: Who, rollback: Deployment): Promise<void> => {
  const { previousDeploymentId } = rollback;
  const undoneDeployment =
    previousDeploymentId && (await deployments.findLocked(tx, caller.tenant, previousDeploymentId));
  if (!undoneDeployment) return;
  const state = rollback.state === 'completed' ? 'rolled_back' : 'rollback_failed';
  const moved = await deployments.move(tx, caller.tenant, undoneDeployment, state);
  await publish(tx, caller, `deployment.${state}`, moved, rollback);
};
