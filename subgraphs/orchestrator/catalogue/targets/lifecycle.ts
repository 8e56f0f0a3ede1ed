import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { expectedVersion } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers, operates } from '../../shared/scopes.ts';
import * as agents from '../agents/agent.ts';
import { lockTarget } from './target.ts';
import { disableRefusal, enableRefusal, removeRefusal } from './target-rules.ts';
import * as store from './targets.store.ts';

const versioned = Type.Object({ id: idOf('Target'), expectedVersion });
const example = { id: exampleId('Target'), expectedVersion: 1 };

const publish = async (tx: Tx, caller: Who, type: string, target: store.Target, data = {}): Promise<store.Target> => {
  await publishEvent(tx, caller, type, 'Target', target, data);
  return target;
};

/** Creates the operations that drain, disable, enable and remove a target, or request its health. */
export const createTargetLifecycle = ({ operation }: Pick<Deps, 'operation'>) => ({
  disable: operation({
    name: 'target.disable',
    kind: 'write',
    scope: administers,
    input: versioned,
    raises: ['RES_TARGET_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example,
    async run(caller, { id, expectedVersion: expected }, tx) {
      const { target, use } = await lockTarget(tx, caller, id, expected);
      refuse(disableRefusal(target, use));
      return publish(tx, caller, 'target.disable', await store.disable(tx, caller.tenant, id, caller.subject));
    },
  }),

  enable: operation({
    name: 'target.enable',
    kind: 'write',
    scope: administers,
    input: versioned,
    raises: ['RES_TARGET_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example,
    async run(caller, { id, expectedVersion: expected }, tx) {
      const known = await store.get(tx, caller.tenant, id);
      // The agent's row is locked before the target's, as everywhere.
      if (known.agentId !== null) await agents.requestHeartbeat(tx, caller.tenant, known.agentId);
      const { target } = await lockTarget(tx, caller, id, expected);
      refuse(enableRefusal(target));
      const detail = 'nobody has looked since it was disabled';
      return publish(tx, caller, 'target.enable', await store.enable(tx, caller.tenant, id, detail, caller.subject));
    },
  }),

  /** Removes a target. What runs there continues, and the agent's observations of it are no longer stored. */
  remove: operation({
    name: 'target.remove',
    kind: 'write',
    scope: administers,
    input: versioned,
    raises: ['RES_TARGET_NOT_FOUND', 'RES_VERSION_CONFLICT', 'DEPLOY_IN_PROGRESS'],
    example,
    async run(caller, { id, expectedVersion: expected }, tx) {
      const { target, use } = await lockTarget(tx, caller, id, expected);
      refuse(removeRefusal(use));
      const { environmentId, name, agentId } = target;
      const removed = await store.remove(tx, caller.tenant, id, caller.subject);
      return publish(tx, caller, 'target.remove', removed, { environmentId, name, agentId });
    },
  }),

  refresh: operation({
    name: 'target.refresh',
    kind: 'write',
    scope: operates,
    input: Type.Object({ id: idOf('Target') }),
    raises: ['RES_TARGET_NOT_FOUND', 'RES_CONFLICT', 'AGT_OFFLINE'],
    example: { id: exampleId('Target') },
    async run(caller, { id }, tx) {
      const target = await store.get(tx, caller.tenant, id);
      const { agentId } = target;
      if (agentId === null)
        throw new Fault('RES_CONFLICT', 'No agent is assigned to this target. Assign one first.', { agentId });
      const agent = await agents.requestHeartbeat(tx, caller.tenant, agentId);
      if (!agent)
        throw new Fault('AGT_OFFLINE', 'The agent of this target does not report. Bring it back first.', { agentId });
      return publish(tx, caller, 'target.refresh', target, { agentId });
    },
  }),
});
