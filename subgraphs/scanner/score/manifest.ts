import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import { envelopeJson, signEnvelope } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Signer } from '@landfall/kernel/crypto/signing/signer';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { closed, compareBytes, digest, instant, name, refuse, secondsOf } from './document.ts';

export const MANIFEST_PAYLOAD_TYPE = 'application/vnd.svc.scan-manifest+json';

/** Roles that every manifest has. An input that the scan did not have is there as the empty byte string. */
const ROLES = ['feed:epss', 'feed:kev', 'policy', 'reachability', 'rules', 'sbom', 'vex'];
const FEED = 'feed:';
const OSV_FEED = 'feed:osv:';
// An unknown feed counts as fully stale.
const EPOCH = '1970-01-01T00:00:00Z';

/** Pinned input of a scan. `publishedAt` is the date that a feed gives itself; other inputs have none. */
export const inputSchema = Type.Object({ hash: digest, publishedAt: Type.Optional(instant), role: name }, closed);

export type ManifestInput = Static<typeof inputSchema>;

const manifestSchema = Type.Object(
  {
    '@type': Type.Literal('scan-manifest/v1'),
    createdAtUtc: instant,
    deterministic: Type.Boolean(),
    inputs: Type.Array(inputSchema),
    manifestHash: digest,
    scanId: Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' }),
    scannerVersion: name,
  },
  closed,
);

/** Scan manifest: everything that a scan read, by hash (proofs 1). */
export type Manifest = Static<typeof manifestSchema>;

const validator = Compile(manifestSchema);

/** Hash of the pinned inputs, equal for two scans over the same ones: without the scan's id and time. */
const hashInputs = ({ '@type': type, deterministic, inputs, scannerVersion }: Omit<Manifest, 'manifestHash'>): Digest =>
  sha256('scan-manifest/v1\n', canonicalJson({ '@type': type, deterministic, inputs, scannerVersion }));

const isFeed = (role: string): boolean => role.startsWith(FEED);

const absentInput = (role: string): ManifestInput =>
  isFeed(role) ? { hash: sha256(''), publishedAt: EPOCH, role } : { hash: sha256(''), role };

const isKnownRole = (role: string): boolean => ROLES.includes(role) || (role.startsWith(OSV_FEED) && role !== OSV_FEED);

const refuseInputs = (message: string): never => {
  refuse('manifest-inputs', message);
};

/** Checks roles, their order and the feeds' dates. */
const checkInputs = (inputs: readonly ManifestInput[]): void => {
  for (const [at, { role, publishedAt }] of inputs.entries()) {
    const before = inputs[at - 1];
    if (!isKnownRole(role)) refuseInputs(`The role ${role} is unknown.`);
    if (before && compareBytes(before.role, role) >= 0) refuseInputs(`The input ${role} is out of order.`);
    if ((publishedAt !== undefined) !== isFeed(role)) refuseInputs(`A date of publication belongs to feeds: ${role}.`);
    if (publishedAt !== undefined) secondsOf(publishedAt);
  }
  const missing = ROLES.find((role) => !inputs.some((input) => input.role === role));
  if (missing !== undefined) refuseInputs(`There is no input ${missing}.`);
};

/** Validates a manifest and its hash. Throws InvalidDocument. */
export const parseManifest = (value: unknown): Manifest => {
  if (!validator.Check(value)) {
    const [error] = validator.Errors(value);
    refuse('manifest-malformed', `${error?.instancePath} ${error?.message}.`);
  }
  checkInputs(value.inputs);
  secondsOf(value.createdAtUtc);
  if (hashInputs(value) !== value.manifestHash)
    refuse('manifest-hash', 'The manifest’s hash is not that of its inputs.');
  return value;
};

/**
 * Creates the manifest of a scan. Inputs may come in any order; roles that are absent are added.
 * @throws InvalidDocument for an unknown or duplicate role
 */
export const createManifest = (scan: Omit<Manifest, '@type' | 'manifestHash'>): Manifest => {
  const absent = ROLES.filter((role) => !scan.inputs.some((input) => input.role === role)).map(absentInput);
  const inputs = [...scan.inputs, ...absent].toSorted((a, b) => compareBytes(a.role, b.role));
  const { scanId, createdAtUtc, deterministic, scannerVersion } = scan;
  const unhashed = {
    '@type': 'scan-manifest/v1',
    scanId,
    createdAtUtc,
    deterministic,
    scannerVersion,
    inputs,
  } as const;
  return parseManifest({ ...unhashed, manifestHash: hashInputs(unhashed) });
};

/**
 * Signs a manifest: the text of `manifest.dsse.json`. A scan's envelope is made once and stored, since an ECDSA
 * signature differs each time and bundles must not. Must not be called inside a transaction.
 */
export const signManifest = async (signer: Signer, manifest: Manifest): Promise<string> =>
  canonicalJson(envelopeJson(await signEnvelope(signer, MANIFEST_PAYLOAD_TYPE, Buffer.from(canonicalJson(manifest)))));

const hashOf = (inputs: readonly ManifestInput[], role: string): Digest =>
  inputs.find((input) => input.role === role)?.hash ?? sha256('');

/** Hashes that the API shows beside a manifest (spec 2.4); that of the feeds covers all of them with their dates. */
export const manifestHashes = ({ inputs }: Manifest) => ({
  sbomHash: hashOf(inputs, 'sbom'),
  rulesHash: hashOf(inputs, 'rules'),
  feedHash: sha256('scan-feeds/v1\n', canonicalJson(inputs.filter(({ role }) => isFeed(role)))),
  policyHash: hashOf(inputs, 'policy'),
});
