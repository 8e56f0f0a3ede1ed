import { checkTimestamp, readStatedTime } from '@landfall/attestation/timestamps/timestamp';
import { NO_AUTHORITY } from '@landfall/attestation/timestamps/timestamp-chain';
import { OTHER_BYTES } from '@landfall/attestation/timestamps/timestamp-token';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { isJsonObject, parseJson } from '@landfall/kernel/core/json';
import { parseEnvelope, verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { type Challenge, requestNonceOf } from './challenge.ts';
import type { TrustRoots } from './trust-roots.ts';

/** Payload type of an operator's statement of the time. */
export const ANCHOR_TYPE = 'application/vnd.landfall.time-anchor+json';

/** Longest deviation that an operator may state. */
const MAX_ACCURACY_SECONDS = 3_600;

interface Question {
  readonly tenant: TenantId;
  readonly challenge: Challenge;
  /** Whether some test holds for an earlier challenge of the tenant. */
  wasEarlier(isAnswered: (challenge: Challenge) => boolean): boolean;
  readonly roots: TrustRoots;
}

/** Time that a token proves, and the root that it was trusted by, if any. */
interface VerifiedAnchor {
  readonly anchorTime: Date;
  readonly accuracySeconds: number;
  readonly trustRootDigest: string | null;
}

const rejected = (reason: string): Fault =>
  new Fault('airgap_anchor_rejected', `The time anchor is refused: ${reason}.`, { reason });

export const replayed = (reason: string): Fault =>
  new Fault('airgap_anchor_replayed', `The time anchor is refused: ${reason}. Answer the current challenge.`, {
    reason,
  });

const foreign = (): Fault =>
  new Fault(
    'airgap_anchor_foreign',
    'The time anchor answers no challenge of this tenant and installation. Fetch the current challenge and stamp that.',
  );

/** Verifies a timestamp response over the challenge (RFC 3161; chain and purpose at its own time). @throws Fault airgap_anchor_* */
export const verifyTimestamp = (token: Buffer, { challenge, wasEarlier, roots }: Question): VerifiedAnchor => {
  const signed = Buffer.from(challenge.data);
  const stated = readStatedTime(token, signed);
  if ('reason' in stated) {
    if (stated.reason !== OTHER_BYTES) throw rejected(stated.reason);
    if (wasEarlier(({ data }) => !('reason' in readStatedTime(token, Buffer.from(data)))))
      throw replayed('it answers an earlier challenge');
    throw foreign();
  }
  if (stated.nonce && !stated.nonce.equals(requestNonceOf(challenge)))
    throw rejected('its nonce is of another request; use the request of the challenge, or one without a nonce');
  const checked = checkTimestamp(token, signed, roots.authorities);
  if ('reason' in checked && checked.reason !== NO_AUTHORITY) throw rejected(checked.reason);
  return {
    anchorTime: stated.at,
    accuracySeconds: stated.accuracySeconds,
    trustRootDigest: 'reason' in checked ? null : checked.authority.digest,
  };
};

const timeOf = (value: unknown): Date => {
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) throw rejected('anchorTime is not a time in UTC');
  return time;
};

/** Verifies an operator's statement in a DSSE envelope. @throws Fault airgap_anchor_*, VAL_* for what is no envelope */
export const verifyStatement = (token: Buffer, { tenant, challenge, wasEarlier, roots }: Question): VerifiedAnchor => {
  const envelope = parseEnvelope(parseJson(token), { maxPayloadBytes: 65_536 });
  if (envelope.payloadType !== ANCHOR_TYPE) throw rejected(`its payload type is not ${ANCHOR_TYPE}`);
  const statement = parseJson(envelope.payload);
  if (!isJsonObject(statement)) throw rejected('its payload is not a JSON object');
  const { tenantId, nonce, anchorTime, accuracySeconds = 0 } = statement;
  if (tenantId !== tenant) throw foreign();
  if (nonce !== challenge.nonce)
    throw wasEarlier((earlier) => earlier.nonce === nonce) ? replayed('it answers an earlier challenge') : foreign();
  const isAccurate = typeof accuracySeconds === 'number' && accuracySeconds >= 0;
  if (!isAccurate || accuracySeconds > MAX_ACCURACY_SECONDS)
    throw rejected(`accuracySeconds is not between 0 and ${MAX_ACCURACY_SECONDS}`);
  const [key] = verifyEnvelope(envelope, roots.keys);
  return { anchorTime: timeOf(anchorTime), accuracySeconds, trustRootDigest: key?.digest ?? null };
};
