import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { createDocumentSeal } from '@landfall/attestation/archive/document-seal';
import { NO_KEY_YET } from '@landfall/attestation/bundle/trust-source';
import { toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Deps, EvidenceReaders, EvidenceRequirement, ReleaseImage, Upstream } from '@landfall/kernel/module';
import type { Route } from '@landfall/kernel/routes/route';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { verifyExport } from '../exports/verification.ts';
import { type ArtifactStore, createArtifactStore } from '../index.ts';
import { artifactSettings } from '../shared/settings.ts';

export const { 'evidence-operator': operator, 'evidence-viewer': viewer, 'other-evidence-operator': stranger } = people;

/** Answer of a platform that has signed nothing yet. */
export const withoutKeys: Upstream = async () => ({ status: 503, body: Buffer.from(NO_KEY_YET) });

const DOMAIN = 'landfall.example';

/** Release of the image that the documents of tests are about. */
export const RELEASE = '0197c0de-0000-7000-8000-0000000000a1';

/** Storages of objects that the same tests run over. */
export const STORAGES = ['disk', 's3'] as const;

/** Environment that requires evidence. */
export const ENVIRONMENT = '0197c0de-0000-7000-8000-0000000000e1';

interface Given {
  /** Storage of the objects; the disk unless given. */
  readonly storage?: (typeof STORAGES)[number];
  readonly routes?: (store: ArtifactStore) => readonly Route[];
  /** Settings besides `Artifacts:MountRetrieval`, by their variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly evidence?: EvidenceReaders;
  readonly upstream?: Upstream;
  /** Images of releases. */
  readonly images?: readonly ReleaseImage[];
  /** Evidence that the environment requires. */
  readonly requirements?: readonly EvidenceRequirement[];
  /** Images of products of the platform. */
  readonly imagesOfProducts?: readonly string[];
}

/** The module over a database and a directory of its own. */
export const artifactApp = async ({
  storage = 'disk',
  routes = () => [],
  env = {},
  evidence = new Map(),
  images = [],
  requirements = [],
  imagesOfProducts = [],
  upstream = withoutKeys,
}: Given = {}) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-artifacts-'));
  // Loaded where it is used: it brings a hundred packages.
  const s3 = storage === 's3' ? await (await import('./s3-server.ts')).startS3Server(join(dataDir, 's3')) : undefined;
  const settings = loadSettings(artifactSettings, { env: { ARTIFACTS__MOUNTRETRIEVAL: 'true', ...s3?.env, ...env } });
  const createModule = (deps: Deps) => {
    const signingKeys = createSigningKeys(deps);
    const documentSeal = createDocumentSeal(deps, { platformDomain: DOMAIN, signingKeys });
    const store = createArtifactStore(deps, settings, {
      dataDir,
      platformDomain: DOMAIN,
      releases: {
        imagesOf: async (_query, _tenant, { id }) => (id === RELEASE ? [IMAGE] : undefined),
        listImages: async (_query, _tenant, ids) => images.filter(({ releaseId }) => ids.includes(releaseId)),
        requirementsOf: async (_query, _tenant, id) => (id === ENVIRONMENT ? requirements : undefined),
      },
      documentSeal,
      evidence,
      upstream,
      products: {
        exists: async () => false,
        productsOfImages: async (_query, _tenant, digests) =>
          imagesOfProducts.flatMap((digest) =>
            digests.includes(digest) ? [{ digest, productId: toId(RELEASE, 'Product') }] : [],
          ),
      },
    });
    return { ...store, signingKeys, documentSeal };
  };
  const app = await testApp({ createModule, routes });
  const directory = join(dataDir, 'artifacts');
  return {
    ...app,
    dataDir,
    /** Verifies the archive of an export by the keys in it. */
    verifyArchive: (archive: Uint8Array) => verifyExport(Readable.from([archive])),
    signingKeys: app.module.signingKeys,
    documentSeal: app.module.documentSeal,
    /** Directory of the objects. */
    objectsDirectory: s3?.bucket ?? join(directory, 'objects'),
    /** Settings of the bucket. */
    storageEnv: s3?.env ?? {},
    /** File of an object. */
    fileOf: (key: string): string => (s3 ? join(s3.bucket, `${key}._S3rver_object`) : join(directory, 'objects', key)),
    /** Files below a directory of the store, sorted. */
    async files(folder: 'objects' | 'incoming' | 'quarantine' | 'trash'): Promise<readonly string[]> {
      const inBucket =
        s3 && folder !== 'incoming' ? join(s3.bucket, folder === 'objects' ? '' : `.${folder}`) : undefined;
      const root = inBucket ?? join(directory, folder);
      const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
      const paths = found.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])).sort();
      if (inBucket === undefined) return paths;
      const isOther = (path: string) => folder === 'objects' && /^\.(trash|quarantine)\//.test(relative(root, path));
      return paths.filter((path) => path.endsWith('._S3rver_object') && !isOther(path));
    },
    /** Puts a document as the operator. */
    put: (document: unknown, given: Readonly<Record<string, unknown>> = {}) =>
      app.module.artifacts.put(operator, {
        content: Buffer.from(JSON.stringify(document)).toString('base64'),
        ...given,
      }),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await s3?.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

/** Digest of the image that the documents of tests are about. */
export const IMAGE = sha256('shop');

/** CycloneDX document of an image. */
export const billOf = (digest: string = IMAGE) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  metadata: { component: { type: 'container', name: 'shop', purl: `pkg:oci/shop@${digest}` } },
  components: [],
});
