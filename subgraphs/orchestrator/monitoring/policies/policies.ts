import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { MAX_PAGE } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import * as store from './policies.store.ts';
import {
  driftPolicy,
  type EffectivePolicy,
  environmentPolicies,
  LANDING,
  POLICY_KINDS,
  signerPolicy,
} from './policy.ts';

/** Limit of signers and of deviations in the list. */
const MAX_EACH = 1_000;

/** Scopes that read policies; adapters of the search service have this one (spec 2.8). */
const readsPolicies = ['policy:read'] as const;

const encode = (policyId: string): string => Buffer.from(policyId).toString('base64url');

const ID = new RegExp(`^(?:${POLICY_KINDS.join('|')}):[a-z0-9-]+$`);

/** @throws Fault VAL_INVALID_FORMAT */
const decode = (cursor: string): string => {
  const policyId = Buffer.from(cursor, 'base64url').toString();
  if (ID.test(policyId)) return policyId;
  throw new Fault('VAL_INVALID_FORMAT', 'This cursor is not one of ours.', undefined, [
    { field: 'after', message: 'is not a cursor of this list', code: 'VAL_INVALID_FORMAT' },
  ]);
};

const everything = async (query: Query, tenant: TenantId, includesExpired: boolean): Promise<EffectivePolicy[]> => {
  const requested = { includesExpired, limit: MAX_EACH };
  const path = await environments.list(query, tenant);
  const signers = await store.listSigners(query, tenant, requested);
  const drifts = await store.listDrifts(query, tenant, requested);
  return [...environmentPolicies(path), LANDING, ...signers.map(signerPolicy), ...drifts.map(driftPolicy)];
};

const byId = (one: EffectivePolicy, other: EffectivePolicy): number => (one.policyId < other.policyId ? -1 : 1);

/** Creates the operations on the policies that apply to a tenant's releases, collected from several settings. */
export const createPolicies = ({ operation }: Pick<Deps, 'operation'>) => ({
  listEffective: operation({
    name: 'policy.listEffective',
    kind: 'read',
    scope: readsPolicies,
    input: Type.Object({
      /** Lists only policies in force. */
      enabledOnly: Type.Optional(Type.Boolean()),
      /** Includes policies that ended within the last 90 days. */
      includeExpired: Type.Optional(Type.Boolean()),
      first: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
      after: Type.Optional(Type.String({ maxLength: 500 })),
    }),
    example: { includeExpired: true },
    async run({ tenant }, { enabledOnly = false, includeExpired = false, first = 100, after }, query) {
      const from = after === undefined ? undefined : decode(after);
      const remaining = (await everything(query, tenant, includeExpired))
        .filter((policy) => policy.enabled || !enabledOnly)
        .toSorted(byId)
        .filter(({ policyId }) => from === undefined || policyId > from);
      const items = remaining.slice(0, first);
      const last = remaining.length > first ? items.at(-1) : undefined;
      return { items, nextCursor: last ? encode(last.policyId) : null };
    },
  }),
});
