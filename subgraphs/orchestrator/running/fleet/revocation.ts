import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import * as agents from '../../catalogue/agents/agent.ts';
import { expectVersion } from '../../shared/expected-version.ts';
import { expectedVersion } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers } from '../../shared/scopes.ts';
import { markHealthUnknown } from '../observations/observations.ts';
import type { Tasks } from '../tasks/tasks.ts';
import * as store from './agents.store.ts';

interface RevocationDeps extends Pick<Deps, 'operation'> {
  readonly tasks: Pick<Tasks, 'abandon'>;
}

/**
 * Creates the operation that revokes an agent. Every request checks the agent's state, so none is admitted afterwards;
 * a waiting poll ends within a second. The name becomes free, and what the agent deployed keeps running unobserved.
 */
export const createAgentRevocation = ({ operation, tasks }: RevocationDeps) => ({
  revoke: operation({
    name: 'agent.revoke',
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('Agent'), expectedVersion, reason: freeText(2_000) }),
    raises: ['RES_AGENT_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example: { id: exampleId('Agent'), expectedVersion: 1, reason: 'The host was sold.' },
    async run(caller, { id, expectedVersion: expected, reason }, tx) {
      const current = await store.lock(tx, caller.tenant, id);
      if (!current) throw agents.notFound(id);
      expectVersion(current, expected);
      refuse(agents.revokeRefusal(current));
      const agent = await store.revoke(tx, caller.tenant, id, reason, caller.subject);
      await publishEvent(tx, caller, 'agent.revoke', 'Agent', agent, { reason });
      await tasks.abandon(tx, caller, id, `its agent ${agent.name} was revoked: ${reason}`);
      await markHealthUnknown(tx, caller, id);
      return agent;
    },
  }),
});
