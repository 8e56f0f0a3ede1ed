import { MAX_SECRET_REFS } from '@landfall/agent/protocol/limits';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { targetDrivers } from '../../shared/enums.ts';
import { expectedVersion, label, secretReference, variableName } from '../../shared/input.ts';
import { labelsInput, labelsOf } from '../../shared/labels.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { readsById } from '../../shared/read-operations.ts';
import { administers, reads } from '../../shared/scopes.ts';
import * as agents from '../agents/agent.ts';
import * as environments from '../environments/environment.ts';
import * as products from '../products/product.ts';
import { drivers } from './drivers.ts';
import { createTargetLifecycle } from './lifecycle.ts';
import { lockTarget } from './target.ts';
import { busyRefusal, moveRefusal } from './target-rules.ts';
import * as store from './targets.store.ts';

const config = Type.Record(Type.String(), Type.Unknown());

const secretRefs = Type.Array(Type.Object({ variable: variableName, secret: secretReference }), {
  maxItems: MAX_SECRET_REFS,
});

/** Checks that an agent has the driver of a target and is registered for the target's environment. */
const expectAble = async (
  query: Query,
  tenant: TenantId,
  agent: agents.Agent,
  { driver, environmentId }: Pick<store.Target, 'driver' | 'environmentId'>,
): Promise<void> => {
  if (agent.state === 'revoked')
    throw new Fault('RES_CONFLICT', 'This agent is revoked. Assign another.', { state: agent.state, allowed: [] });
  const offered = Object.keys(agent.capabilities);
  if (!offered.includes(drivers[driver].capability))
    throw new Fault('AGT_CAPABILITY_MISSING', `The agent cannot drive ${driver} targets.`, {
      driver,
      drivers: offered,
    });
  if (!(await agents.serves(query, tenant, agent.id, environmentId)))
    throw new Fault('AGT_CAPABILITY_MISSING', 'The agent was not registered for this environment.', { environmentId });
};

/** Creates the operations on targets: where an environment's releases run, and by which agent. */
export const createTargets = ({ operation, ids }: Deps) => ({
  list: operation({
    name: 'target.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({ environmentId: Type.Optional(idOf('Environment')) }),
    raises: ['RES_ENVIRONMENT_NOT_FOUND'],
    example: { environmentId: exampleId('Environment') },
    async run(caller, { environmentId }, query) {
      if (environmentId) await environments.get(query, caller.tenant, environmentId);
      return store.list(query, caller.tenant, environmentId);
    },
  }),

  get: operation({
    name: 'target.get',
    ...readsById('Target', 'RES_TARGET_NOT_FOUND'),
    scope: reads,
    run: (caller, { id }, query) => store.get(query, caller.tenant, id),
  }),

  create: operation({
    name: 'target.create',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      environmentId: idOf('Environment'),
      name: label,
      driver: oneOf(...targetDrivers),
      config,
      agentId: Type.Optional(idOf('Agent')),
      productId: Type.Optional(idOf('Product')),
      labels: Type.Optional(labelsInput),
      secretRefs: Type.Optional(secretRefs),
    }),
    raises: [
      'RES_ENVIRONMENT_NOT_FOUND',
      'RES_NOT_FOUND',
      'RES_AGENT_NOT_FOUND',
      'RES_CONFLICT',
      'AGT_CAPABILITY_MISSING',
      'RES_ALREADY_EXISTS',
    ],
    example: { environmentId: exampleId('Environment'), name: 'web-1', driver: 'process', config: { port: 8080 } },
    async run(caller, { environmentId, name, driver, agentId, productId, labels = [], ...input }, tx) {
      // A removal of the product or of the environment waits for these locks, and then sees the target.
      if (productId) await products.getLocked(tx, caller.tenant, productId);
      const [environment] = await environments.lockShared(tx, caller.tenant, [environmentId]);
      if (!environment) throw environments.notFound(environmentId);
      if (agentId)
        await expectAble(tx, caller.tenant, await agents.get(tx, caller.tenant, agentId), { driver, environmentId });
      const target = await store.insert(
        tx,
        caller.tenant,
        toId(ids.uuid(), 'Target'),
        {
          environmentId,
          productId: productId ?? null,
          name,
          labels: labelsOf(labels),
          driver,
          config: drivers[driver].parse(input.config),
          secretRefs: input.secretRefs ?? [],
          agentId: agentId ?? null,
        },
        caller.subject,
      );
      await publishEvent(tx, caller, 'target.create', 'Target', target, {
        environmentId,
        name,
        driver,
        agentId,
        ...(productId && { productId }),
        ...(labels.length > 0 && { labels: target.labels }),
      });
      return target;
    },
  }),

  assignAgent: operation({
    name: 'target.assignAgent',
    kind: 'write',
    scope: administers,
    input: Type.Object({ targetId: idOf('Target'), agentId: idOf('Agent'), expectedVersion }),
    raises: [
      'RES_TARGET_NOT_FOUND',
      'RES_AGENT_NOT_FOUND',
      'RES_VERSION_CONFLICT',
      'RES_CONFLICT',
      'AGT_CAPABILITY_MISSING',
    ],
    example: { targetId: exampleId('Target'), agentId: exampleId('Agent'), expectedVersion: 1 },
    async run(caller, { targetId, agentId, expectedVersion: expected }, tx) {
      const agent = await agents.get(tx, caller.tenant, agentId);
      const { target: current, use } = await lockTarget(tx, caller, targetId, expected);
      refuse(busyRefusal(use));
      await expectAble(tx, caller.tenant, agent, current);
      const target = await store.assign(tx, caller.tenant, targetId, agentId, caller.subject);
      await publishEvent(tx, caller, 'target.assignAgent', 'Target', target, { agentId, before: current.agentId });
      return target;
    },
  }),

  update: operation({
    name: 'target.update',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      id: idOf('Target'),
      expectedVersion,
      name: Type.Optional(label),
      // Null: the first product that is deployed to it.
      productId: Type.Optional(Type.Union([idOf('Product'), Type.Null()])),
      labels: Type.Optional(labelsInput),
      config: Type.Optional(config),
      secretRefs: Type.Optional(secretRefs),
    }),
    raises: ['RES_TARGET_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_NOT_FOUND', 'RES_CONFLICT', 'RES_ALREADY_EXISTS'],
    example: { id: exampleId('Target'), expectedVersion: 1, name: 'web-1' },
    async run(caller, { id, expectedVersion: expected, ...input }, tx) {
      const { target: current, use } = await lockTarget(tx, caller, id, expected);
      const productId = input.productId === undefined ? current.productId : input.productId;
      if (productId !== null && productId !== current.productId) await products.getLocked(tx, caller.tenant, productId);
      if (input.config !== undefined || input.secretRefs !== undefined) refuse(busyRefusal(use));
      if (productId !== current.productId)
        refuse(busyRefusal(use) ?? moveRefusal(current, await store.isCarrying(tx, caller.tenant, id)));
      const next = {
        name: input.name ?? current.name,
        productId,
        labels: input.labels ? labelsOf(input.labels) : current.labels,
        config: input.config === undefined ? current.config : drivers[current.driver].parse(input.config),
        secretRefs: input.secretRefs ?? current.secretRefs,
      };
      const target = await store.update(tx, caller.tenant, id, next, caller.subject);
      // A configuration may contain a value that should be a secret, so the event has the names of the changed fields
      // only.
      await publishEvent(tx, caller, 'target.update', 'Target', target, {
        name: target.name,
        productId,
        changed: Object.keys(input),
      });
      return target;
    },
  }),

  ...createTargetLifecycle({ operation }),
});
