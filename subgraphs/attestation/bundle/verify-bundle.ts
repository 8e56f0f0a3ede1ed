import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { pae } from '@landfall/kernel/crypto/dsse';
import { leafHash, verifyInclusion } from '@landfall/kernel/crypto/merkle';
import { verifySignature } from '@landfall/kernel/crypto/signing/signature';
import { openCheckpoint } from '../signature/checkpoint.ts';
import { hashedRekordBody } from '../signature/hashed-rekord.ts';
import type { CheckpointNote } from '../signature/signed-note.ts';
import { IN_TOTO_PAYLOAD_TYPE, parseStatement, type Statement } from '../signature/statement.ts';
import { checkPredicate, checkSubject, type Expected } from './expected-statement.ts';
import { conclude, type Finding, type Findings, failed, passed, skipped, stoppedAt } from './finding.ts';
import type { EarlierTree } from './log-consistency.ts';
import { type BundleClaims, type EntryClaim, MalformedBundle, parseBundle } from './parse-bundle.ts';
import { verifyWithSigstore } from './sigstore-verifier.ts';
import { checkTimestamps, type TimestampResult } from './timestamp-check.ts';
import { isLoggedInTime, isValidAt, type Trust, type TrustedLogKey, type TrustedSigner } from './trust.ts';
import type { Verification } from './verification.ts';

/** State shared by the checks: the claims, and the parts verified so far. */
interface Examined {
  readonly claims: BundleClaims;
  readonly trust: Trust;
  readonly signed: Buffer;
  readonly key: TrustedSigner | undefined;
  readonly entry: EntryClaim | undefined;
  /** Checkpoint, if the key that the entry names has signed it. */
  readonly checkpoint: (CheckpointNote & { readonly key: TrustedLogKey }) | undefined;
  readonly signedAt: Date | undefined;
  /** Whether an authority other than the platform attests that time. */
  readonly isIndependent: boolean;
}

/** Checks for exactly one signature, by a trusted key, whenever it was made (proofs 6.5, item 6). */
const checkSigned = ({ claims, key, signed }: Examined): Finding => {
  const { hint, signatures, payloadType } = claims;
  const [signature] = signatures;
  if (!signature || signatures.length !== 1)
    return failed('signature-count', `there are ${signatures.length} signatures, and not one`);
  if (hint === undefined) return failed('signer-unknown', 'it is signed under a certificate, and not by a trusted key');
  if (!key) return failed('signer-unknown', `the key ${hint.slice(0, 64)} is not trusted`);
  if (signature.keyId && signature.keyId !== hint)
    return failed('signer-ambiguous', 'the signature names another key than the bundle');
  if (payloadType !== IN_TOTO_PAYLOAD_TYPE) return failed('payload-type', `the payload is ${payloadType}`);
  return verifySignature(key.publicKey, signed, signature.bytes)
    ? passed
    : failed('signature-invalid', 'the signature is not of this payload under that key');
};

/**
 * Checks that the key was valid at signing: by an external authority's time, or else by the position in the log. The
 * platform's own timestamps do not excuse a late entry, since a thief of its keys could create them too.
 */
const checkPeriod = ({ key, signedAt, isIndependent, entry, checkpoint }: Examined): Finding => {
  if (!key) return passed;
  if (signedAt && !isValidAt(key, signedAt))
    return failed('signer-expired', `the key was not valid at ${signedAt.toISOString()}`);
  if (signedAt && isIndependent) return passed;
  return !entry || !checkpoint || isLoggedInTime(key, checkpoint.origin, entry.index)
    ? passed
    : failed('signer-expired', `the key had ended before the log had the entry ${entry.index}`);
};

const checkSignature = (examined: Examined): Finding => {
  const signed = checkSigned(examined);
  return signed.result === 'pass' ? checkPeriod(examined) : signed;
};

const checkEntryCount = ({ claims }: Examined): Finding =>
  claims.entries.length === 1
    ? passed
    : failed('entry-count', `there are ${claims.entries.length} log entries, and not one`);

/** Checks that the entry's body is exactly that of this signature. */
const checkBody = (examined: Examined): Finding => {
  const { claims, key, entry, signed } = examined;
  const [signature] = claims.signatures;
  if (!entry) return checkEntryCount(examined);
  if (entry.kind !== 'hashedrekord' || entry.version !== '0.0.2')
    return failed('body-kind', `the entry is ${entry.kind} ${entry.version}`);
  if (!key || !signature) return skipped('signer-unknown', 'without the key there is nothing to compare it with');
  const body = hashedRekordBody({
    paeDigest: sha256Bytes(signed),
    signature: signature.bytes,
    spki: key.spki,
    keyDetails: key.details,
  });
  return body.equals(entry.body) ? passed : failed('body-differs', 'the entry is not of this signature');
};

/** Checks that a trusted log signed the tree, under its own name (proofs 6.5, item 3). */
const checkCheckpoint = (examined: Examined): Finding => {
  const { entry, checkpoint, trust, signedAt } = examined;
  if (!entry) return checkEntryCount(examined);
  if (!entry.proof) return failed('proof-missing', 'the entry has no proof, and so no checkpoint');
  if (!trust.logKeys.some(({ keyId }) => keyId.equals(entry.logId)))
    return failed('log-unknown', 'the entry names a log that is not trusted');
  if (!checkpoint) return failed('checkpoint-unsigned', 'the checkpoint is not signed by that log under its own name');
  const { end } = checkpoint.key.validFor;
  // The entry was logged after it was signed.
  return signedAt && end && end < signedAt
    ? failed('log-key-ended', `the log's key ended before ${signedAt.toISOString()}`)
    : passed;
};

/** Checks that the body is in that tree, at the stated index (proofs 6.5, items 1 and 2). */
const checkInclusion = (examined: Examined): Finding => {
  const { entry, checkpoint } = examined;
  if (!entry) return checkEntryCount(examined);
  const { proof, body } = entry;
  if (!proof) return failed('proof-missing', 'the entry has no proof of inclusion');
  if (entry.index !== proof.index) return failed('index-differs', 'the entry and its proof name different indexes');
  if (entry.hasPromise) return failed('promise-unsupported', 'a promise of inclusion is no proof of it');
  if (!checkpoint) return skipped('checkpoint-unsigned', 'without a signed checkpoint there is no tree to be in');
  const { size, rootHash } = checkpoint;
  if (proof.treeSize !== size || !proof.rootHash.equals(rootHash))
    return failed('proof-differs', 'the proof is for another tree than the checkpoint');
  const isIncluded = verifyInclusion({
    index: proof.index,
    size,
    leafHash: leafHash(body),
    path: proof.hashes,
    root: rootHash,
  });
  return isIncluded ? passed : failed('not-included', 'the path does not lead from the entry to the root');
};

/** Refuses a time in the log entry (proofs 6.5, item 4), an invalid timestamp, and the lack of an expected one. */
const checkTime = (
  { claims, entry }: Examined,
  times: TimestampResult,
  { isTimestamped = false }: Expected,
): Finding => {
  if (entry && entry.integratedTime !== 0)
    return failed('time-unpromised', 'the entry has a time that its log did not sign');
  if (claims.timestamps.length > 0) return times.finding;
  return isTimestamped
    ? failed('timestamp-missing', 'the timestamp that this statement has is not in the bundle')
    : times.finding;
};

const examine = (claims: BundleClaims, trust: Trust, times: TimestampResult): Examined => {
  const { hint, payloadType, payload, entries } = claims;
  const [entry] = entries;
  const only = entries.length === 1 ? entry : undefined;
  const logKeys = trust.logKeys.filter(({ keyId }) => only?.logId.equals(keyId));
  const [logKey] = logKeys;
  return {
    claims,
    trust,
    signed: pae(payloadType, payload),
    key: hint === undefined ? undefined : trust.keys.get(hint),
    entry: only,
    checkpoint:
      only?.proof && logKey && openCheckpoint(only.proof.checkpoint, { origin: logKey.origin, keys: logKeys }),
    signedAt: times.signedAt,
    isIndependent: times.isIndependent,
  };
};

const logOf = ({ entry, checkpoint }: Examined): Verification['log'] =>
  entry &&
  checkpoint && {
    origin: checkpoint.origin,
    index: entry.index,
    treeSize: checkpoint.size,
    rootHash: `sha256:${checkpoint.rootHash.toString('hex')}`,
  };

const parse = (text: string): BundleClaims | MalformedBundle => {
  try {
    return parseBundle(text);
  } catch (error) {
    if (error instanceof MalformedBundle) return error;
    throw error;
  }
};

/** Runs Sigstore's library on bundles that our own checks accept: both must accept. */
const withLibrary = (findings: Findings, claims: BundleClaims, trust: Trust): Findings => {
  const isRefused = [
    findings.signature,
    findings.body,
    findings.inclusion,
    findings.checkpoint,
    findings.timestamp,
  ].some(({ result }) => result === 'fail');
  const refusal = isRefused ? undefined : verifyWithSigstore(claims, trust);
  return refusal ? { ...findings, [refusal.check]: refusal.finding } : findings;
};

const unread = skipped('statement-unsigned', 'a statement without a good signature is not read');

/** Statement, if a trusted key signed it at any time. */
export const signedStatement = (claims: BundleClaims, trust: Trust): Statement | undefined => {
  const examined = examine(claims, trust, checkTimestamps([], undefined, []));
  return checkSigned(examined).result === 'pass' ? parseStatement(claims.payload) : undefined;
};

/** Findings about a bundle itself, before the log is consulted. */
export interface Inspection extends Pick<Verification, 'log' | 'signedAt'> {
  readonly findings: Findings;
  /** Tree that the entry was proved in; undefined unless a trusted log signed it. */
  readonly tree: EarlierTree | undefined;
}

/** Inspects parsed claims by Sigstore's verifier and by the checks that it lacks (proofs 6.5). */
export const inspect = (claims: BundleClaims, trust: Trust, expected: Expected): Inspection => {
  const times = checkTimestamps(claims.timestamps, claims.signatures[0]?.bytes, trust.authorities);
  const examined = examine(claims, trust, times);
  const signature = checkSignature(examined);
  // A payload without a valid signature by a trusted key is not parsed.
  const isSigned = signature.result === 'pass';
  const statement = isSigned ? parseStatement(claims.payload) : undefined;
  const findings: Findings = {
    signature,
    body: checkBody(examined),
    inclusion: checkInclusion(examined),
    checkpoint: checkCheckpoint(examined),
    consistency: skipped('log-not-asked', 'only the log can say that it still has this tree'),
    timestamp: checkTime(examined, times, expected),
    subject: isSigned ? checkSubject(statement, expected) : unread,
    predicate: isSigned ? checkPredicate(statement, expected) : unread,
  };
  return {
    findings: withLibrary(findings, claims, trust),
    log: logOf(examined),
    signedAt: times.signedAt,
    tree: examined.checkpoint,
  };
};

/**
 * Verifies a Sigstore bundle of the platform by a trust document only: no database, network or clock. Any text gives a
 * result that says what is wrong. Without `expected`, subject and predicate are skipped and the result is not
 * `verified`, since a statement about something else proves nothing.
 */
export const verifyBundle = (text: string, trust: Trust, expected: Expected = {}): Verification => {
  const claims = parse(text);
  if (claims instanceof MalformedBundle)
    return conclude(stoppedAt('signature', failed('bundle-malformed', claims.message)));
  const { findings, ...rest } = inspect(claims, trust, expected);
  return conclude(findings, rest);
};
