import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction, until } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { type Environment, land, launch, type PromotionRequest, reach } from './deployments.ts';

const Id = Type.Object({ id: Type.String() });

/** Starts a canary with a tenth of the traffic and halts it at its gate: the old version gets all traffic back. */
export const haltCanary = async (manager: GraphSession, promotion: PromotionRequest): Promise<string> => {
  const id = await launch(manager, promotion, 'CANARY');
  // It is halted already where an interrupted demo continues.
  await reach(manager, id, 'PAUSED', 'FAILED');
  const input = { id, reason: 'Pages take four seconds with the pictures, and one without' };
  await runAction(manager, { mutation: 'haltDeployment', key: id, input }, Id);
  await reach(manager, id, 'FAILED');
  return id;
};

/** Rolls an environment back to the release verified before and returns the rollback's id. */
export const rollBack = async (manager: GraphSession, { id: environmentId, name }: Environment, reason: string) => {
  const input = { environmentId, reason };
  const { id } = await runAction(manager, { mutation: 'rollbackEnvironment', key: name, input }, Id);
  await land(manager, id);
  return id;
};

/** Name of the directory with the shop's files. */
export const SLOT = 'shop';

/** Path of the `current` link of the shop's component `api`, under the state directory of the agent. */
export const linkOf = (state: string): string => join(state, 'slots', SLOT, 'api', 'current');

interface ManualChange {
  readonly link: string;
  /** Target of the link before the last deployment. */
  readonly former: string;
  readonly targetId: string;
}

const Drifts = Type.Object({ estate: Type.Object({ status: Type.Object({ drift: Type.Integer() }) }) });

/** Restores the earlier files on the host by hand, so that the agent reports drift. */
export const simulateManualChange = async (
  manager: GraphSession,
  { link, former, targetId }: ManualChange,
): Promise<void> => {
  await symlink(former, `${link}.by-hand`);
  await rename(`${link}.by-hand`, link);
  await runAction(manager, { mutation: 'refreshTarget', key: targetId, input: { id: targetId } }, Id);
  await until('a drift', async () => {
    const { estate } = await manager.ask('{ estate { status { drift } } }', {}, Drifts);
    return estate.status.drift > 0 ? true : undefined;
  });
};
