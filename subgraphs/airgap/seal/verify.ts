import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Query } from '@landfall/kernel/db/query';
import { type EgressState, find } from '@landfall/kernel/egress/policies.store';
import { policyDigest } from '@landfall/kernel/egress/policy-document';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { AIRGAP_READ } from '../shared/scopes.ts';
import type { TenantTimes } from '../time/tenant-time.ts';

/** Comparison of something stored with its digest. */
interface IntegrityCheck {
  /** `policy`, `anchor` or `kit <name>`. */
  readonly name: string;
  readonly valid: boolean;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly message: string;
}

/** Reads the keys of the platform, and returns the check that hashes the active kits of a tenant again. */
export type KitChecks = () => Promise<(query: Query, tenant: TenantId) => Promise<readonly IntegrityCheck[]>>;

interface VerifyDeps extends Pick<Deps, 'operation' | 'database'> {
  readonly times: Pick<TenantTimes, 'read'>;
  readonly kitChecks: KitChecks;
}

const checkPolicy = (state: EgressState | undefined): IntegrityCheck => {
  const expected = state?.policyDigest ?? null;
  const actual = state?.policy ? policyDigest(state.policy) : null;
  const valid = expected === actual;
  const message = valid
    ? actual === null
      ? 'No policy was set.'
      : 'The policy is the one that was set.'
    : 'The policy differs from the one that was set.';
  return { name: 'policy', valid, expected, actual, message };
};

/** Creates the integrity check of the air gap: it re-hashes the policy, the anchor and the active kits, and changes nothing. */
export const createVerify = ({ operation, database, times, kitChecks }: VerifyDeps) => {
  const checkAnchor = async (query: Query, tenant: TenantId, isSealed: boolean): Promise<IntegrityCheck> => {
    const { anchor, state } = await times.read(query, tenant);
    const expected = anchor?.digest ?? null;
    const actual = anchor ? sha256(anchor.token) : null;
    const isUsable = state !== 'unknown' && state !== 'untrusted';
    const common = { name: 'anchor', expected, actual };
    if (expected !== actual)
      return { ...common, valid: false, message: 'The anchor’s token differs from the one that was accepted.' };
    if (isSealed && !isUsable)
      return { ...common, valid: false, message: `The environment is sealed, and its anchor is ${state}.` };
    return { ...common, valid: true, message: `The anchor is ${state}.` };
  };

  return operation({
    name: 'airGap.verify',
    kind: 'read',
    isDetached: true,
    scope: AIRGAP_READ,
    cost: 50,
    input: Type.Object({}),
    async run({ tenant }) {
      const checkKits = await kitChecks();
      return database.read(tenant, async (query) => {
        const state = await find(query, tenant);
        const checks = [
          checkPolicy(state),
          await checkAnchor(query, tenant, state?.mode === 'sealed'),
          ...(await checkKits(query, tenant)),
        ];
        return { valid: checks.every(({ valid }) => valid), checks };
      });
    },
  });
};
