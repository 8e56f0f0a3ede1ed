import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import * as policies from '@landfall/kernel/egress/policies.store';
import { type PolicyDocument, policyDigest } from '@landfall/kernel/egress/policy-document';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import type { Meter } from '@landfall/kernel/system/telemetry';
import Type from 'typebox';
import { policyInput, policyOf } from '../policy/policy-input.ts';
import { AIRGAP_SEAL } from '../shared/scopes.ts';
import type { TenantTimes } from '../time/tenant-time.ts';
import { type AirGapStatus, statusOf } from './status.ts';

const record = eventsOf('AirGap');

const reason = freeText(500);
const expectedVersion = Type.Integer({ minimum: 0 });

/** Outcome of a call for the counters, which move on real transitions only. */
interface Moved {
  hasMoved: boolean;
}

interface SealDeps extends Pick<Deps, 'operation'> {
  readonly times: Pick<TenantTimes, 'read'>;
  readonly meter?: Meter | undefined;
}

/** Fields of a move's event: who, why, and by which policy is in the row and the event alike. */
const factsOf = ({ mode, policyDigest: digest, reason: why, anchorDigest }: policies.EgressState) => ({
  mode,
  policyDigest: digest,
  reason: why,
  anchorDigest,
});

/** Locks the state of a tenant. @throws Fault RES_VERSION_CONFLICT when the caller read another version */
const lockAt = async (tx: Tx, { tenant }: Who, expected: number | undefined) => {
  const state = await policies.lock(tx, tenant);
  const version = state?.version ?? 0;
  if (expected !== undefined && expected !== version)
    throw new Fault('RES_VERSION_CONFLICT', `The air gap is at version ${version}, not ${expected}. Read it again.`, {
      version,
    });
  return state;
};

/** @throws Fault RES_CONFLICT for another policy than that of the seal, which sealing again does not replace */
const refuseOther = ({ policyDigest: digest }: policies.EgressState, policy: PolicyDocument): void => {
  if (policyDigest(policy) !== digest)
    throw new Fault(
      'RES_CONFLICT',
      'The environment is sealed by another policy, which sealing again does not replace. Set the policy by itself, or unseal first.',
      { policyDigest: digest },
    );
};

/** Sets a policy unless it is the stored one. */
const applyPolicy = async (
  tx: Tx,
  who: Who,
  state: policies.EgressState | undefined,
  policy: PolicyDocument,
): Promise<policies.EgressState> => {
  const digest = policyDigest(policy);
  if (state?.policyDigest === digest) return state;
  const changed = await policies.setPolicy(tx, who.tenant, { policy, digest, actor: who.subject });
  const previousPolicyDigest = state?.policyDigest ?? null;
  const data = { policyDigest: changed.policyDigest, previousPolicyDigest, ruleCount: policy.allowRules.length };
  await record(tx, who, 'airGap.setPolicy', { id: who.tenant, version: changed.version }, data);
  return changed;
};

/** Creates the moves of the air gap (spec 3): each is compared with the version, and repeating one changes nothing. */
export const createSeal = ({ operation, times, meter }: SealDeps) => {
  const countSeal = meter?.counter('airgap_seal_total', { description: 'Environments sealed.' });
  const countUnseal = meter?.counter('airgap_unseal_total', { description: 'Environments unsealed.' });
  const unmoved = async (): Promise<Moved> => ({ hasMoved: false });

  return {
    setPolicy: operation({
      name: 'airGap.setPolicy',
      kind: 'write',
      scope: AIRGAP_SEAL,
      // Setting the stored policy again changes nothing, and records nothing.
      isBeat: true,
      input: Type.Object({ policy: policyInput, expectedVersion: Type.Optional(expectedVersion) }),
      raises: ['RES_VERSION_CONFLICT'],
      example: { policy: { allowLoopback: true } },
      async run(who, { policy, expectedVersion: expected }, tx): Promise<AirGapStatus> {
        const state = await lockAt(tx, who, expected);
        return statusOf(who.tenant, await applyPolicy(tx, who, state, policyOf(policy)));
      },
    }),

    seal: operation({
      name: 'airGap.seal',
      kind: 'write',
      scope: AIRGAP_SEAL,
      isBeat: true,
      cost: 0,
      input: Type.Object({
        reason: Type.Optional(reason),
        policy: Type.Optional(policyInput),
        expectedVersion: Type.Optional(expectedVersion),
      }),
      raises: ['RES_VERSION_CONFLICT', 'RES_CONFLICT', 'airgap_policy_required'],
      example: { reason: 'delivery of release 4', policy: { allowLoopback: true } },
      prepare: unmoved,
      async run(who, { reason: why = null, policy, expectedVersion: expected }, tx, moved): Promise<AirGapStatus> {
        const { tenant, subject: actor } = who;
        const found = await lockAt(tx, who, expected);
        if (found?.mode === 'sealed') {
          if (policy) refuseOther(found, policyOf(policy));
          return statusOf(tenant, found);
        }
        const state = policy ? await applyPolicy(tx, who, found, policyOf(policy)) : found;
        if (!state?.policy)
          throw new Fault('airgap_policy_required', 'The environment has no egress policy. Set one, or send it along.');
        const { counted } = await times.read(tx, tenant);
        const anchorDigest = counted?.digest ?? null;
        const sealed = await policies.move(tx, tenant, { mode: 'sealed', reason: why, actor, anchorDigest });
        await record(tx, who, 'airGap.seal', { id: tenant, version: sealed.version }, factsOf(sealed));
        moved.hasMoved = true;
        return statusOf(tenant, sealed);
      },
      committed: (_who, { hasMoved }) => hasMoved && countSeal?.(),
    }),

    unseal: operation({
      name: 'airGap.unseal',
      kind: 'write',
      scope: AIRGAP_SEAL,
      isBeat: true,
      cost: 0,
      input: Type.Object({ reason: Type.Optional(reason), expectedVersion: Type.Optional(expectedVersion) }),
      raises: ['RES_VERSION_CONFLICT'],
      example: { reason: 'maintenance' },
      prepare: unmoved,
      async run(who, { reason: why = null, expectedVersion: expected }, tx, moved): Promise<AirGapStatus> {
        const { tenant, subject: actor } = who;
        const state = await lockAt(tx, who, expected);
        if (state?.mode !== 'sealed') {
          await policies.setBlocked(tx, tenant, null);
          return statusOf(tenant, state && { ...state, blockedReason: null });
        }
        const unsealed = await policies.move(tx, tenant, { mode: 'unsealed', reason: why, actor, anchorDigest: null });
        await record(tx, who, 'airGap.unseal', { id: tenant, version: unsealed.version }, factsOf(unsealed));
        moved.hasMoved = true;
        return statusOf(tenant, unsealed);
      },
      committed: (_who, { hasMoved }) => hasMoved && countUnseal?.(),
    }),
  };
};
