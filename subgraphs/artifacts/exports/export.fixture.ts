import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { completed } from '@landfall/attestation/archive/archive.fixture';
import { createKey, ORIGIN, verificationKey } from '@landfall/attestation/bundle/bundle.fixture';
import { createTrust } from '@landfall/attestation/bundle/trust-documents';
import { signerCertificateOf } from '@landfall/attestation/timestamps/built-in-authority';
import { createTimestampChain } from '@landfall/attestation/timestamps/built-in-certificates';
import { type AuthorityCertificates, checkTimestamp } from '@landfall/attestation/timestamps/timestamp';
import { timestampResponse } from '@landfall/attestation/timestamps/timestamp-response';
import { toTenantId } from '@landfall/kernel/core/ids';
import type { Signer, SigningPurpose } from '@landfall/kernel/crypto/signing/signer';
import { directoryOf, type ExportArchive, exportTar } from './archive.ts';
import type { ArtifactReader, FrozenArtifact } from './evidence-artifact.ts';
import type { MissingArtifact } from './manifest.ts';
import { parseManifest } from './manifest.ts';
import { type ExportSeal, sealExport } from './sealed-export.ts';

const TENANT = toTenantId('acme');
const BUNDLE = '0197c0de-0000-7000-8000-0000000000b1';
export const EXPORT = '0197c0de-0000-7000-8000-0000000000e1';
const DOMAIN = 'landfall.example';

/** Platform that signs exports in a test, at a time of the test's choice. */
interface TestSeal extends ExportSeal {
  /** Trust document after every key of the platform was rotated at a time. */
  rotatedTrust(at: Date): string;
}

interface SealOptions {
  /** External authority; the platform's own unless given. */
  readonly authority?: AuthorityCertificates & { timestamp(bytes: Buffer): Promise<Buffer> };
  readonly signer?: Signer;
  /** Time of the timestamp. */
  readonly at?: Date;
  /** Begin of the validity of keys and certificates. */
  readonly begin?: Date;
}

export const createSeal = async ({
  signer = createKey('ecdsa-p256-sha256'),
  at = new Date('2026-11-27T12:34:56Z'),
  begin = new Date('2026-01-01T00:00:00Z'),
  authority,
}: SealOptions = {}): Promise<TestSeal> => {
  const clock = createKey('ecdsa-p256-sha256');
  const logKey = createKey('ed25519');
  const chain = await createTimestampChain(clock.publicKey, { begin, platformDomain: DOMAIN });
  const certificates = authority?.certificates ?? [chain.certificate, chain.root];
  const ended = (key: Signer, purpose: SigningPurpose, until: Date | null) => ({
    ...verificationKey(key, purpose, until),
    validFrom: begin,
  });
  const trustAt = (until: Date | null, successors: readonly Signer[]) =>
    createTrust({
      platformDomain: DOMAIN,
      logs: [{ origin: ORIGIN, sizes: new Map(until ? [[until.getTime(), 0]] : []) }],
      logKeys: [ended(logKey, 'log', until)],
      keys: [
        ...successors.map((key) => ({ ...ended(key, 'attestation', null), validFrom: until ?? begin })),
        ended(signer, 'attestation', until),
      ],
      authorities: [
        {
          uri: `https://${DOMAIN}`,
          certificates,
          validFrom: begin,
          validUntil: until,
          ...(authority ? {} : { operator: DOMAIN }),
        },
      ],
    });
  const trust = trustAt(null, []);
  return {
    signer,
    trust,
    keys: [ended(signer, 'attestation', null), ended(clock, 'timestamp', null)],
    stamp: async (bytes) => {
      const token = authority
        ? await authority.timestamp(Buffer.from(bytes))
        : await timestampResponse(bytes, at, signerCertificateOf(chain.certificate), clock);
      const found = checkTimestamp(token, Buffer.from(bytes), [{ certificates }]);
      if ('reason' in found) throw new Error(found.reason);
      return { token, at: found.at };
    },
    rotatedTrust: (until) => trustAt(until, [createKey('ecdsa-p256-sha256')]),
  };
};

/** Artifacts with their contents, numbered from 1. */
export const createArtifacts = (count: number) => {
  const contents = new Map<string, Buffer>();
  const artifacts = Array.from({ length: count }, (_, index): FrozenArtifact => {
    const artifactId = `0197c0de-0000-7000-8000-${String(index + 1).padStart(12, '0')}`;
    const content = Buffer.from(`{"artifact":${index + 1}}\n`.repeat(1 + (index % 30)));
    contents.set(artifactId, content);
    return {
      artifactId,
      artifactType: 'Sbom',
      bomRef: `pkg:oci/shop@${index + 1}`,
      serialNumber: `urn:uuid:${artifactId}`,
      storageKey: artifactId,
      mediaType: 'application/vnd.cyclonedx+json',
      path: `artifacts/Sbom/${artifactId}.json`,
      sha256: createHash('sha256').update(content).digest('hex'),
      size: content.length,
      createdAt: new Date('2026-11-20T00:00:00Z'),
    };
  });
  const reader: ArtifactReader = {
    open: async (artifactId) => {
      const content = contents.get(artifactId);
      return content
        ? (async function* () {
            yield content;
          })()
        : undefined;
    },
  };
  return { artifacts, contents, reader };
};

interface TestExport {
  readonly seal?: ExportSeal;
  readonly missing?: readonly MissingArtifact[];
  readonly artifacts: readonly FrozenArtifact[];
}

export const sealed = async ({ artifacts, missing = [], seal }: TestExport): Promise<ExportArchive> => {
  const { files } = await sealExport(
    {
      bundleId: BUNDLE,
      exportId: EXPORT,
      subject: { kind: 'release', id: '0197c0de-0000-7000-8000-0000000000a1' },
      tenant: TENANT,
      platformDomain: DOMAIN,
      createdAt: new Date('2026-11-27T12:34:50.789Z'),
      artifacts,
      missing,
    },
    async () => seal ?? createSeal(),
  );
  const manifest = files.find(({ path }) => path === 'manifest.json');
  return {
    exportId: EXPORT,
    entries: parseManifest(String(manifest?.content)).entries,
    files: new Map(files.map(({ path, content }) => [path, { size: content.length, bytes: content }])),
    artifacts,
  };
};

export const tarBytes = (archive: ExportArchive, reader: ArtifactReader): Promise<Buffer> =>
  buffer(exportTar(archive, reader));

/** Temporary directory of a test. */
export const temporaryDirectory = async () => {
  const path = await mkdtemp(join(tmpdir(), 'landfall-export-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};

/** Unpacks an export with tar into a temporary directory; `home` is the directory of its files. */
export const unpacked = async (archive: ExportArchive, reader: ArtifactReader) => {
  const { path, [Symbol.asyncDispose]: remove } = await temporaryDirectory();
  await writeFile(join(path, 'export.tar'), await tarBytes(archive, reader));
  await promisify(execFile)('tar', ['-xf', 'export.tar'], { cwd: path });
  return { path, home: join(path, directoryOf(EXPORT)), [Symbol.asyncDispose]: remove };
};

/** Runs both programs of an unpacked export, and returns the last line and the exit code of each. */
export const recipe = async (home: string, ...input: readonly string[]) => {
  const sh = await completed('sh', join(home, 'verify.sh'), ...input);
  const python = await completed('python3', join(home, 'verify.py'), ...input);
  return {
    sh: sh.last || sh.complaint,
    python: python.last || python.complaint,
    codes: [sh.code, python.code],
  };
};
