import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Query } from '@landfall/kernel/db/query';
import { type EgressState, find } from '@landfall/kernel/egress/policies.store';
import { policyDigest } from '@landfall/kernel/egress/policy-document';
import { findLatest } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { AIRGAP_READ } from '../shared/scopes.ts';
import type { Anchor } from '../time/anchors.store.ts';
import { createChallenges } from '../time/challenge.ts';
import type { TenantTimes } from '../time/tenant-time.ts';
import type { TimeOptions } from '../time/time-options.ts';
import { verifyStatement, verifyTimestamp } from '../time/verify-anchor.ts';

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

interface VerifyDeps extends Pick<Deps, 'operation' | 'database' | 'secrets'> {
  readonly options: Pick<TimeOptions, 'roots'>;
  readonly times: Pick<TenantTimes, 'read'>;
  readonly kitChecks: KitChecks;
}

/** Compares the policy with the digest beside it, and with the audit trail, which no role of the database changes. */
const checkPolicy = async (query: Query, tenant: TenantId, state: EgressState | undefined): Promise<IntegrityCheck> => {
  const audited = (await findLatest(query, tenant, 'airGap.setPolicy'))?.data.policyDigest;
  const expected = typeof audited === 'string' ? audited : null;
  const actual = state?.policy ? policyDigest(state.policy) : null;
  const valid = expected === actual && actual === (state?.policyDigest ?? null);
  const message = valid
    ? actual === null
      ? 'No policy was set.'
      : 'The policy is the one that was set.'
    : 'The policy differs from the one that was set.';
  return { name: 'policy', valid, expected, actual, message };
};

/** Creates the integrity check of the air gap: it re-hashes the policy, the anchor and the active kits, and changes nothing. */
export const createVerify = ({ operation, database, secrets, options, times, kitChecks }: VerifyDeps) => {
  const { roots } = options;
  const challenges = createChallenges({ secrets });
  const known = new Set([...roots.authorities, ...roots.keys].map(({ digest }) => digest));

  /** Difference of an anchor from what its token proves by the roots that are trusted now; undefined without any. */
  const differenceOf = (anchor: Anchor): string | undefined => {
    const { tenant, token, source, anchorTime, accuracySeconds, trusted, trustRootDigest: root } = anchor;
    const verify = source === 'rfc3161' ? verifyTimestamp : verifyStatement;
    const challenge = challenges.of(tenant, anchor.challenge);
    try {
      const found = verify(token, { tenant, challenge, wasEarlier: () => false, roots });
      if (found.anchorTime.getTime() !== anchorTime.getTime()) return 'its time is not that of its token';
      if (found.accuracySeconds !== accuracySeconds) return 'its accuracy is not that of its token';
      // An anchor of another root is not trusted now, as its state says, unless that came with its request and is gone.
      const isKnown = trusted && root !== null && known.has(root);
      return isKnown && found.trustRootDigest !== root ? 'its token is not of the root that it names' : undefined;
    } catch (error) {
      if (error instanceof Fault) return `its token does not hold any more: ${error.message}`;
      throw error;
    }
  };

  const checkAnchor = async (query: Query, tenant: TenantId, isSealed: boolean): Promise<IntegrityCheck> => {
    const { anchor, counted, state } = await times.read(query, tenant);
    const expected = anchor?.digest ?? null;
    const actual = anchor ? sha256(anchor.token) : null;
    const answer = (valid: boolean, message: string) => ({ name: 'anchor', valid, expected, actual, message });
    if (expected !== actual) return answer(false, 'The anchor’s token differs from the one that was accepted.');
    const difference = anchor && differenceOf(anchor);
    if (difference !== undefined) return answer(false, `The anchor was changed: ${difference}.`);
    if (isSealed && !counted) return answer(false, `The environment is sealed, and its anchor is ${state}.`);
    return answer(true, `The anchor is ${state}.`);
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
          await checkPolicy(query, tenant, state),
          await checkAnchor(query, tenant, state?.mode === 'sealed'),
          ...(await checkKits(query, tenant)),
        ];
        return { valid: checks.every(({ valid }) => valid), checks };
      });
    },
  });
};
