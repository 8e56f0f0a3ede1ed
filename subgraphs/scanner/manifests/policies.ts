import { Fault, invalid } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { SbomError } from '../sbom/sbom-error.ts';
import { DEFAULT_POLICY, type Policy, parsePolicy } from '../score/policy.ts';
import { SCANS_READ, SCANS_WRITE } from '../shared/scopes.ts';
import { expectStrictJson } from '../vex/strict-json.ts';
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

/** Characters of the longest id and version of a policy. */
const LONGEST_NAME = 200;

/** Reads the text of a policy, of which two readers may not understand different policies. Throws Fault VAL_*. */
const documentOf = async (text: string): Promise<unknown> => {
  try {
    await expectStrictJson(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof SbomError)) throw error;
    if (error.reason === 'malformed_json') throw new Fault('VAL_INVALID_JSON', 'The policy is not JSON.');
    throw invalid([{ field: 'policy', message: `${error.message}.`, code: 'VAL_INVALID_VALUE' }]);
  }
  return JSON.parse(text);
};

/** Refuses names that the sources of factors, `policy:<id>@<version>#kevFloor`, cannot contain. Throws Fault VAL_*. */
const refuseNames = (policy: Policy): void => {
  const long = (['id', 'version'] as const).filter((field) => policy[field].length > LONGEST_NAME);
  const ambiguous = (['id', 'version'] as const).filter((field) => /[@#]/.test(policy[field]));
  const faults = [
    ...long.map((field) => ({
      field,
      message: `must not have more than ${LONGEST_NAME} characters`,
      code: 'VAL_TOO_LONG' as const,
    })),
    ...ambiguous.map((field) => ({ field, message: 'must not have @ or #', code: 'VAL_INVALID_FORMAT' as const })),
  ];
  const [first, ...rest] = faults;
  if (first) throw invalid([first, ...rest]);
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
      const policy = parsePolicy(await documentOf(input.policy));
      refuseNames(policy);
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
