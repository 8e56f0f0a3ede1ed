import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { DEFAULT_POLICY, type Policy, parsePolicy } from '../score/policy.ts';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import * as store from './policies.store.ts';

/** Published versions of a list, at most. */
const LISTED = 100;

const record = eventsOf('ScorePolicy');

/** Policy with the time of its publication, which is null for the built-in default. */
export interface PublishedPolicy {
  readonly policy: Policy;
  readonly publishedAt: Date | null;
}

const BUILT_IN: PublishedPolicy = { policy: DEFAULT_POLICY, publishedAt: null };

/** Policy by which scans of a tenant are scored from now on; a freeze keeps its own. */
export const currentPolicy = async (query: Query, tenant: TenantId): Promise<Policy> =>
  (await store.findNewest(query, tenant))?.policy ?? DEFAULT_POLICY;

/** @throws Fault VAL_INVALID_JSON */
const documentOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Fault('VAL_INVALID_JSON', 'The policy is not JSON.');
  }
};

/** Creates the operations on the policies of the score model. */
export const createPolicies = ({ operation }: Pick<Deps, 'operation'>) => ({
  current: operation({
    name: 'scorePolicy.get',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({}),
    run: async ({ tenant }, _input, query): Promise<PublishedPolicy> =>
      (await store.findNewest(query, tenant)) ?? BUILT_IN,
  }),

  /** Published versions, the newest first, and the built-in default as the last. */
  list: operation({
    name: 'scorePolicy.list',
    kind: 'read',
    scope: SCANS_READ,
    input: Type.Object({}),
    run: async ({ tenant }, _input, query): Promise<readonly PublishedPolicy[]> => [
      ...(await store.listNewest(query, tenant, LISTED)),
      BUILT_IN,
    ],
  }),

  publish: operation({
    name: 'scorePolicy.publish',
    kind: 'write',
    scope: SCANS_WRITE,
    input: Type.Object({ policy: Type.String() }),
    raises: ['RES_CONFLICT'],
    example: { policy: JSON.stringify({ ...DEFAULT_POLICY, id: 'stricter', kevFloor: 850_000 }) },
    async run(who, input, tx): Promise<PublishedPolicy> {
      const policy = parsePolicy(documentOf(input.policy));
      const { id, version } = policy;
      const stored = await store.insertIfAbsent(tx, who.tenant, { id, version, policy });
      if (!stored)
        throw new Fault('RES_CONFLICT', `The policy ${id} has a version ${version} already.`, { id, version });
      await record(tx, who, 'scorePolicy.publish', { id }, { version });
      return stored;
    },
  }),
});

export type Policies = ReturnType<typeof createPolicies>;
