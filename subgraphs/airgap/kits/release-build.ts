import { access, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseStatement } from '@landfall/attestation/signature/statement';
import {
  type Attestation,
  type AttestationKind,
  listByReleases,
  listWholeByIds,
  type WholeAttestation,
} from '@landfall/attestation/statements/attestations.store';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { isJsonObject, type JsonObject, parseJson } from '@landfall/kernel/core/json';
import { type Digest, digestHex, sha256 } from '@landfall/kernel/crypto/digest';
import type { Database } from '@landfall/kernel/db/database';
import type { HttpClient } from '@landfall/kernel/http/client';
import { MANIFEST_TYPES } from '@landfall/kernel/oci/manifest';
import { createRegistryClient } from '@landfall/kernel/oci/registry-client';
import { createRegistryTransfer, type OpenTransfer } from '@landfall/kernel/oci/registry-transfer';
import { parseRepository } from '@landfall/kernel/oci/repository';
import type { FixedRelease, ReleaseImage, ReleaseTransfer } from '@landfall/kernel/operator/transfers';
import type { KitSource } from './build.ts';
import type { KitComponent } from './manifest.ts';
import { type OciDocument, readDocument, walk } from './oci-document.ts';
import { paths, type ReleaseDocument } from './release-document.ts';

type CarriedImage = ReleaseDocument['images'][number];

interface BuildDeps {
  readonly database: Pick<Database, 'read'>;
  readonly releases: ReleaseTransfer;
  readonly http: HttpClient;
}

interface ReleaseKitInput {
  readonly caller: Who;
  readonly release: FixedRelease;
  /** Directory that gets the content. */
  readonly directory: string;
  /** Trust document of this platform, with which a site verifies its attestations; without one the kit has none. */
  readonly trust: string | undefined;
  /** Digests of blobs that the site has, which the kit omits. */
  readonly omitted: ReadonlySet<string>;
}

/** Suffixes of tags with what is attached to an image: the list of referrers, and cosign's signatures and attestations. */
const SUFFIXES = ['', '.sig', '.att', '.sbom'] as const;

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Policy in the statement of a decision; null in one that has only its hash. */
const policyOf = ({ payload }: Pick<WholeAttestation, 'payload'>): JsonObject | null => {
  const statement = parseStatement(payload);
  const content = Object(statement?.predicate?.policy).content;
  const policy = typeof content === 'string' ? parseJson(Buffer.from(content, 'base64').toString()) : null;
  return isJsonObject(policy) ? policy : null;
};

/** Approvals and policies among the statements of a kit, as the document of the release lists them. */
const listed = (attestations: readonly WholeAttestation[]): Pick<ReleaseDocument, 'approvals' | 'policies'> => {
  const ofKind = (wanted: AttestationKind) =>
    attestations.filter(({ kind, bundle }) => kind === wanted && bundle !== null);
  return {
    approvals: ofKind('approval').map(({ id }) => paths.attestation(id)),
    policies: ofKind('verification_summary').map((each) => ({
      statement: paths.attestation(each.id),
      policy: policyOf(each),
    })),
  };
};

/** Reads the content of a release for a kit: its images with what is attached to them, and its attestations. */
export const createReleaseKits = ({ database, releases, http }: BuildDeps) => {
  const transfer = createRegistryTransfer(http, createRegistryClient(http));

  const open = async (caller: Who, repository: string): Promise<OpenTransfer> => {
    const found = await releases.openRegistry(caller, repository);
    if (found instanceof Fault) throw found;
    return transfer.open(found, parseRepository(repository).path, false);
  };

  const fetch =
    (registry: OpenTransfer) =>
    async ({ digest }: { readonly digest: Digest }): Promise<OciDocument> => {
      const answer = await registry.manifest(digest, MANIFEST_TYPES);
      if (!answer) throw new Fault('INT_RESOURCE_NOT_FOUND', `The registry has no manifest ${digest}.`, { digest });
      return readDocument(answer.body, digest, answer.headers['content-type']?.split(';', 1)[0] ?? '');
    };

  /** Manifests attached to an image, by tags and by the list of referrers. */
  const attachedTo = async (registry: OpenTransfer, digest: Digest): Promise<CarriedImage['attached']> => {
    const found: CarriedImage['attached'] = [];
    for (const suffix of SUFFIXES) {
      const tag = `sha256-${digestHex(digest)}${suffix}`;
      const answer = await registry.manifest(tag, MANIFEST_TYPES);
      if (!answer) continue;
      const { mediaType, digest: own } = readDocument(
        answer.body,
        sha256(answer.body),
        answer.headers['content-type']?.split(';', 1)[0] ?? '',
      );
      found.push({ digest: own, mediaType, tag });
    }
    const referrers = await registry.referrers(digest);
    if (referrers)
      for (const { digest: own, mediaType } of readDocument(
        referrers.body,
        sha256(referrers.body),
        'application/vnd.oci.image.index.v1+json',
      ).children)
        found.push({ digest: own, mediaType, tag: null });
    return found;
  };

  /** Attestations of this platform about a release that are in its log. */
  const attestationsOf = (caller: Who, { id }: FixedRelease) =>
    database.read(caller.tenant, async (query) => {
      const listed: readonly Attestation[] = await listByReleases(query, caller.tenant, [id]);
      const attested = listed.filter(({ attestedAt }) => attestedAt !== null).map((each) => each.id);
      return listWholeByIds(query, caller.tenant, attested);
    });

  return async ({ caller, release, directory, trust, omitted }: ReleaseKitInput): Promise<readonly KitSource[]> => {
    const sources = new Map<string, KitSource>();

    const add = async (path: string, kind: KitComponent['kind'], content: string | Buffer, counts = {}) => {
      const file = join(directory, path);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, content);
      sources.set(path, { path, file, kind, counts });
    };

    const addDocuments = async (registry: OpenTransfer, documents: readonly OciDocument[]): Promise<void> => {
      for (const { digest, bytes, blobs } of documents) {
        await add(paths.blob(digest), 'oci', bytes);
        for (const blob of blobs.filter((each) => !omitted.has(each.digest))) {
          const path = paths.blob(blob.digest);
          const file = join(directory, path);
          if (!(await isThere(file))) await registry.pullBlob(blob, file);
          sources.set(path, { path, file, kind: 'oci', counts: {} });
        }
      }
    };

    const addImage = async ({ name, repository, digest, dependsOn }: ReleaseImage): Promise<CarriedImage> => {
      const registry = await open(caller, repository);
      const documents = await walk(fetch(registry), { digest, mediaType: '' });
      await addDocuments(registry, documents);
      const attached: CarriedImage['attached'] = [];
      for (const { digest: subject } of documents) attached.push(...(await attachedTo(registry, subject)));
      for (const each of attached) await addDocuments(registry, await walk(fetch(registry), each));
      const mediaType = documents.at(-1)?.mediaType ?? '';
      return { name, repository, digest, mediaType, dependsOn: [...dependsOn], attached };
    };

    const images: CarriedImage[] = [];
    for (const image of release.images) images.push(await addImage(image));
    const { id: releaseId, name: product, semver, notes } = release;
    const attestations = trust === undefined ? [] : await attestationsOf(caller, release);
    const names = { releaseId, product, semver, notes };
    const document: ReleaseDocument = { version: 1, ...names, images, ...listed(attestations) };
    await add(paths.release, 'release', JSON.stringify(document, undefined, 2), { images: images.length });
    await add(paths.layout, 'oci', JSON.stringify({ imageLayoutVersion: '1.0.0' }));
    const manifests = await Promise.all(
      images.map(async ({ name, digest, mediaType }) => ({
        mediaType,
        digest,
        size: (await stat(join(directory, paths.blob(digest)))).size,
        annotations: { 'org.opencontainers.image.ref.name': name },
      })),
    );
    await add(paths.index, 'oci', JSON.stringify({ schemaVersion: 2, manifests }));
    if (trust !== undefined) {
      for (const { id, bundle } of attestations)
        if (bundle !== null) await add(paths.attestation(id), 'attestation', bundle);
      await add(paths.trust, 'trust', trust, { attestations: attestations.length });
    }
    return [...sources.values()];
  };
};
