import { readFileSync } from 'node:fs';
import { scriptHead } from '@landfall/attestation/archive/script-head';
import type { Timestamp } from '@landfall/attestation/timestamps/timestamp';
import { type Digest, sha256Hex } from '@landfall/kernel/crypto/digest';
import { envelopeJson, signEnvelope } from '@landfall/kernel/crypto/dsse';
import { canonicalJson } from '@landfall/kernel/crypto/jcs';
import type { Signer, VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import type { FrozenArtifact } from './evidence-artifact.ts';
import {
  byPath,
  createManifest,
  type ExportEntry,
  type ExportManifest,
  MANIFEST_PAYLOAD_TYPE,
  type MissingArtifact,
  rootOfEntries,
} from './manifest.ts';
import { createTrustRoot, TRUST_ROOT_MEDIA_TYPE } from './trust-root.ts';

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

const PROGRAMS: readonly Document[] = [
  { path: 'README.txt', mediaType: 'text/plain', content: shipped('README.txt') },
  { path: 'verify.py', mediaType: 'text/x-python', content: shipped('verify.py') },
  { path: 'verify.sh', mediaType: 'application/x-sh', content: VERIFY_SH },
];

/** Contents that an export signs. */
interface ExportContents extends Pick<ExportManifest, 'bundleId' | 'exportId' | 'subject' | 'tenant'> {
  readonly platformDomain: string;
  readonly createdAt: Date;
  readonly artifacts: readonly FrozenArtifact[];
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

const indexOf = (artifacts: readonly FrozenArtifact[]): Document => ({
  path: 'index.json',
  mediaType: 'application/json',
  content: Buffer.from(
    canonicalJson(
      artifacts.map(({ artifactId, artifactType, bomRef, serialNumber, createdAt, path }) => ({
        artifactId,
        artifactType,
        bomRef,
        createdAt: createdAt.toISOString(),
        path,
        serialNumber,
      })),
    ),
  ),
});

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

/**
 * Signs and timestamps the contents of an export. The timestamp is over the bytes of the DSSE envelope. Asks a key device
 * and an authority, so it must not run in a transaction.
 */
export const sealExport = async (contents: ExportContents, seal: ExportSeal): Promise<SealedExport> => {
  const { artifacts, createdAt, ...rest } = contents;
  const trustRoot = Buffer.from(createTrustRoot(seal.trust, seal.keys));
  const documents: readonly Document[] = [
    ...PROGRAMS,
    indexOf(artifacts),
    { path: 'trust-root.json', mediaType: TRUST_ROOT_MEDIA_TYPE, content: trustRoot },
  ];
  const entries = [...documents.map(entryOfDocument), ...artifacts.map(entryOfArtifact)].toSorted(byPath);
  const manifest = createManifest({ ...rest, createdAt: second(createdAt), entries });
  const content = Buffer.from(manifest);
  const envelope = Buffer.from(
    canonicalJson(envelopeJson(await signEnvelope(seal.signer, MANIFEST_PAYLOAD_TYPE, content))),
  );
  const { token, at } = await seal.stamp(envelope);
  const signed = [
    { path: 'manifest.dsse.json', content: envelope },
    { path: 'manifest.json', content },
    { path: 'manifest.tsr', content: Buffer.from(token) },
  ];
  const sums = signed.map((file) => `${sha256Hex(file.content)}  ${file.path}\n`).join('');
  const files = [...signed, { path: 'SHA256SUMS', content: Buffer.from(sums) }, ...documents];
  return {
    rootHash: rootOfEntries(entries),
    keyId: seal.signer.keyId,
    signedAt: at,
    files: files.map(({ path, content: bytes }) => ({ path, content: bytes })),
  };
};
