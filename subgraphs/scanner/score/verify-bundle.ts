import type { KeyObject } from 'node:crypto';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { envelopeJson, parseEnvelope, verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import { runInTurns, type Steps } from '../shared/steps.ts';
import type { BundleEntries } from './bundle.ts';
import { readBundleFile } from './bundle-file.ts';
import { asRefusal, Checks, messageOf } from './checks.ts';
import { InvalidDocument, parseCanonical, refuse } from './document.ts';
import { MANIFEST_PAYLOAD_TYPE, type Manifest, parseManifest } from './manifest.ts';
import { readBundle } from './read-bundle.ts';
import { type ClaimedLedger, checkRoot, checkSequence, checkSums, readLedger } from './verify-ledger.ts';
import { checkAgain, checkInputHash, parsePayload } from './verify-payload.ts';

/** Key under which manifests are trusted; `keyId` is the one that its signatures name. */
export interface TrustedKey {
  readonly keyId: string;
  readonly publicKey: KeyObject;
}

/** Values that a caller expects (spec 2.4, ScoreVerifyRequest). */
export interface ExpectedScore {
  readonly expectedRootHash: string;
  readonly expectedCanonicalInputHash?: string | undefined;
  readonly canonicalInputPayload?: string | undefined;
  /** Canonical input as the platform has it, for the check of every node where the caller sends none. */
  readonly storedInputPayload?: string | undefined;
}

/** Result of a verification (spec 2.4, ScoreVerifyResponse, without its time). */
export interface BundleVerification {
  readonly valid: boolean;
  /** Null if the bundle has no readable ledger. */
  readonly computedRootHash: Digest | null;
  readonly expectedRootHash: string;
  readonly manifestValid: boolean;
  readonly ledgerValid: boolean;
  readonly canonicalInputHashValid: boolean;
  readonly expectedCanonicalInputHash: string | null;
  /** Hash that the ledger names. */
  readonly canonicalInputHash: Digest | null;
  /** First failure: a stable slug, a colon and text. */
  readonly errorMessage: string | null;
}

/** Runs a function, and refuses with this reason where it throws a Fault. */
const orRefuse = <Value>(reason: string, run: () => Value): Value => {
  try {
    return run();
  } catch (error) {
    return asRefusal(reason, error);
  }
};

/** Checks that one trusted key signed these bytes of a manifest, in the one spelling that an envelope has. */
const checkSignature = (entries: BundleEntries, keys: readonly TrustedKey[]): void => {
  const json = parseCanonical(entries['manifest.dsse.json'], 'signature-malformed');
  const envelope = orRefuse('signature-malformed', () => parseEnvelope(json));
  if (canonicalJson(envelopeJson(envelope)) !== canonicalJson(json) || envelope.signatures.length !== 1)
    refuse('signature-malformed', 'manifest.dsse.json is not an envelope with one signature.');
  if (
    envelope.payloadType !== MANIFEST_PAYLOAD_TYPE ||
    Buffer.compare(envelope.payload, entries['manifest.json']) !== 0
  )
    refuse('signature-payload', 'The signature is of another document than manifest.json.');
  const signers = verifyEnvelope(envelope, keys);
  if (!signers.some(({ keyId }) => keyId === envelope.signatures[0]?.keyid))
    refuse('signature-untrusted', 'No trusted key signed the manifest.');
};

const unreadable = (expected: ExpectedScore, errorMessage: string): BundleVerification => ({
  valid: false,
  computedRootHash: null,
  expectedRootHash: expected.expectedRootHash,
  manifestValid: false,
  ledgerValid: false,
  canonicalInputHashValid:
    expected.canonicalInputPayload === undefined && expected.expectedCanonicalInputHash === undefined,
  expectedCanonicalInputHash: expected.expectedCanonicalInputHash ?? null,
  canonicalInputHash: null,
  errorMessage,
});

/** Parts of a bundle that could be read. */
interface Parts {
  readonly manifest: Manifest | undefined;
  readonly ledger: ClaimedLedger | undefined;
}

/** Checks the ledger against its manifest and itself, steps 4 to 6. */
function* verifyLedger({ manifest, ledger }: Parts, checks: Checks) {
  if (!ledger || !manifest) return { nodes: undefined, isValid: false };
  const nodes = yield* checks.attemptSteps(checkSequence(ledger, manifest));
  const hasSums = nodes !== undefined && (yield* checks.passesSteps(checkSums(nodes)));
  const hasRoot = checks.passes(() => checkRoot(ledger));
  return { nodes, isValid: hasSums && hasRoot };
}

/**
 * Verifies the entries of a bundle, steps 2 to 9 of proofs 4, in steps of a computation. The first failure names the error.
 */
export function* verifySteps(
  entries: BundleEntries,
  keys: readonly TrustedKey[],
  expected: ExpectedScore,
): Steps<BundleVerification> {
  const checks = new Checks();
  const { expectedRootHash, canonicalInputPayload, storedInputPayload } = expected;
  const payload = canonicalInputPayload ?? storedInputPayload;
  const manifest = checks.attempt(() => parseManifest(parseCanonical(entries['manifest.json'], 'manifest-malformed')));
  const isSigned = checks.passes(() => checkSignature(entries, keys));
  const ledger = yield* checks.attemptSteps(readLedger(entries));
  const { nodes, isValid: ledgerValid } = yield* verifyLedger({ manifest, ledger }, checks);
  checks.attempt(() => {
    if (!constantTimeEqual(ledger?.rootHash ?? '', expectedRootHash))
      refuse('root-unexpected', `The root of the bundle is ${ledger?.rootHash ?? 'unknown'}.`);
  });
  const canonicalInputHash = nodes?.header.canonicalInputHash ?? null;
  const before = checks.failures.length;
  const input = payload === undefined ? undefined : yield* checks.attemptSteps(parsePayload(payload));
  checks.attempt(() => checkInputHash(canonicalInputHash, expected));
  const canonicalInputHashValid = checks.failures.length === before;
  if (payload !== undefined && input !== undefined && manifest && ledger)
    yield* checks.attemptSteps(checkAgain({ text: payload, value: input }, manifest, ledger));
  const [errorMessage = null] = checks.failures;
  return {
    valid: errorMessage === null,
    computedRootHash: ledger?.rootHash ?? null,
    expectedRootHash,
    manifestValid: manifest !== undefined && isSigned,
    ledgerValid,
    canonicalInputHashValid,
    expectedCanonicalInputHash: expected.expectedCanonicalInputHash ?? null,
    canonicalInputHash,
    errorMessage,
  };
}

/** File of a bundle below the directory of all. `bundleUri` is undefined where a scan has none (rulings 40). */
interface BundleLocation {
  readonly basePath: string;
  readonly bundleUri: string | undefined;
  /** Scan that the bundle must be of; any scan if undefined. */
  readonly scanId?: string | undefined;
}

/** Scan that a manifest names; undefined where it cannot be read, which its verification then says. */
const scanIdOf = (entries: BundleEntries): string | undefined =>
  /"scanId":"([^"]*)"/.exec(entries['manifest.json'].toString('latin1'))?.[1];

/**
 * Verifies a bundle (proofs 4, steps 1 to 9), with other work of the process between the steps of the computation. It never throws for what a bundle or a caller may contain.
 */
export const verifyBundle = async (
  { basePath, bundleUri, scanId }: BundleLocation,
  keys: readonly TrustedKey[],
  expected: ExpectedScore,
): Promise<BundleVerification> => {
  if (bundleUri === undefined) return unreadable(expected, 'bundle-missing: The scan has no proof bundle.');
  try {
    const entries = await readBundle(await readBundleFile(basePath, bundleUri));
    // The answer must not show the contents of another tenant’s bundle.
    if (scanId !== undefined && (scanIdOf(entries) ?? scanId) !== scanId)
      return unreadable(expected, 'bundle-foreign: The proof bundle is of another scan.');
    return await runInTurns(verifySteps(entries, keys, expected));
  } catch (error) {
    if (error instanceof InvalidDocument) return unreadable(expected, messageOf(error));
    throw error;
  }
};
