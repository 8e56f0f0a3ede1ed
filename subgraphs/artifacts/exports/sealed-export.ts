import { readFileSync } from 'node:fs';
import { scriptHead } from '@landfall/attestation/archive/script-head';
import type { Timestamp } from '@landfall/attestation/timestamps/timestamp';
import { type Digest, sha256Hex } from '@landfall/kernel/crypto/digest';
import { envelopeBytes, signEnvelope } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Signer, VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import type { FrozenArtifact } from './evidence-artifact.ts';
import { checkSignature } from './export-signature.ts';
import { createJsonList } from './json-list.ts';
import {
  createManifestWriter,
  type ExportEntry,
  type ExportManifest,
  MANIFEST_PAYLOAD_TYPE,
  type MissingArtifact,
} from './manifest.ts';
import { createTrustRoot, parseTrustRoot, TRUST_ROOT_MEDIA_TYPE } from './trust-root.ts';

/** Files before all others of an archive, in this order; none of them is an entry of the manifest. */
export const LEADING_FILES = ['manifest.json', 'manifest.dsse.json', 'manifest.tsr', 'SHA256SUMS'] as const;

/** File of an export that is stored with it, because its bytes must not change with the version of the program. */
export interface ExportFile {
  readonly path: string;
  readonly content: Buffer;
}

interface Document extends ExportFile {
  readonly mediaType: string;
}

const shipped = (name: string): Buffer => readFileSync(new URL(`./package/${name}`, import.meta.url));

const VERIFY_SH = Buffer.from(
  `${scriptHead('Checks this export of evidence', 'trust-root.json')}\n\n${shipped('verify.sh')}`,
);

/** Before all artifacts, in the order of the paths. */
const README: Document = { path: 'README.txt', mediaType: 'text/plain', content: shipped('README.txt') };

/** After all others. */
const PROGRAMS: readonly Document[] = [
  { path: 'verify.py', mediaType: 'text/x-python', content: shipped('verify.py') },
  { path: 'verify.sh', mediaType: 'application/x-sh', content: VERIFY_SH },
];

/** Contents that an export signs. */
interface ExportContents extends Pick<ExportManifest, 'bundleId' | 'exportId' | 'subject' | 'tenant'> {
  readonly platformDomain: string;
  readonly createdAt: Date;
  /** By their paths. */
  readonly artifacts: Iterable<FrozenArtifact> | AsyncIterable<FrozenArtifact>;
  /** Complete once the artifacts are read. */
  readonly missing: readonly MissingArtifact[];
}

/** Signing key, timestamps and trust of the platform. */
export interface ExportSeal {
  readonly signer: Signer;
  stamp(bytes: Uint8Array): Promise<Timestamp>;
  /** Published trust document, which names the signing key and the timestamp authority. */
  readonly trust: string;
  /** Every key of every purpose that ever signed. */
  readonly keys: readonly VerificationKey[];
}

interface SealedExport {
  readonly rootHash: Digest;
  readonly keyId: string;
  /** Time of the timestamp. */
  readonly signedAt: Date;
  readonly files: readonly ExportFile[];
}

const second = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** Line of `index.json`. */
const indexed = ({ artifactId, artifactType, bomRef, serialNumber, createdAt, path }: FrozenArtifact): string =>
  canonicalJson({ artifactId, artifactType, bomRef, createdAt: createdAt.toISOString(), path, serialNumber });

const entryOfDocument = ({ path, mediaType, content }: Document): ExportEntry => ({
  mediaType,
  path,
  sha256: sha256Hex(content),
  size: content.length,
});

const entryOfArtifact = ({ mediaType, path, sha256, size }: FrozenArtifact): ExportEntry => ({
  mediaType,
  path,
  sha256,
  size,
});

/** Reads the artifacts into a manifest and an index, then adds the documents, whose trust root is that of the seal. */
const written = async ({ artifacts, createdAt, ...rest }: ExportContents, sealOf: () => Promise<ExportSeal>) => {
  const [manifest, index] = [createManifestWriter(), createJsonList()];
  manifest.add(entryOfDocument(README));
  for await (const artifact of artifacts) {
    manifest.add(entryOfArtifact(artifact));
    index.add(indexed(artifact));
  }
  const seal = await sealOf();
  const trustRoot = createTrustRoot(seal.trust, seal.keys);
  const documents: readonly Document[] = [
    { path: 'index.json', mediaType: 'application/json', content: Buffer.concat(index.chunks()) },
    { path: 'trust-root.json', mediaType: TRUST_ROOT_MEDIA_TYPE, content: Buffer.from(trustRoot) },
    ...PROGRAMS,
  ];
  for (const document of documents) manifest.add(entryOfDocument(document));
  return {
    ...manifest.end({ ...rest, createdAt: second(createdAt) }),
    seal,
    trustRoot,
    documents: [README, ...documents],
  };
};

/**
 * Signs and timestamps the contents of an export. The timestamp is over the bytes of the DSSE envelope. Asks a key device
 * and an authority, so it must not run in a transaction.
 * @param sealOf asked when the artifacts are read, which takes a while
 */
export const sealExport = async (
  contents: ExportContents,
  sealOf: () => Promise<ExportSeal>,
): Promise<SealedExport> => {
  const { content, rootHash, documents, trustRoot, seal } = await written(contents, sealOf);
  const envelope = await signEnvelope(seal.signer, MANIFEST_PAYLOAD_TYPE, content);
  const bytes = envelopeBytes(envelope);
  const { token, at } = await seal.stamp(bytes);
  const signed: readonly ExportFile[] = [
    { path: 'manifest.dsse.json', content: bytes },
    { path: 'manifest.json', content },
    { path: 'manifest.tsr', content: Buffer.from(token) },
  ];
  // A key or an authority that was rotated meanwhile is not in the snapshot of the trust document.
  for (const signature of envelope.signatures) {
    const parts = { manifest: content, signature, envelope: bytes, token: Buffer.from(token) };
    const checked = checkSignature(parts, parseTrustRoot(trustRoot));
    if (typeof checked === 'string') throw new Error(`The export does not verify: ${checked}.`);
  }
  const sums = signed.map((file) => `${sha256Hex(file.content)}  ${file.path}\n`).join('');
  const files = [...signed, { path: 'SHA256SUMS', content: Buffer.from(sums) }, ...documents];
  return {
    rootHash,
    keyId: seal.signer.keyId,
    signedAt: at,
    files: files.map(({ path, content: own }) => ({ path, content: own })),
  };
};
