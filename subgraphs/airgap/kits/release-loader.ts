import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Signer, signerOf } from '@landfall/attestation/admission/signer';
import { list as listSigners } from '@landfall/attestation/admission/trusted-signers.store';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { systemErrorCodeOf } from '@landfall/kernel/core/system-error-code';
import { type Digest, sha256 } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import { type Attachment, attachmentOf, formatOf } from '@landfall/kernel/oci/attachment';
import { MANIFEST_TYPES, readManifest as readImage } from '@landfall/kernel/oci/manifest';
import { createRegistryClient } from '@landfall/kernel/oci/registry-client';
import { createRegistryTransfer, type Document, type OpenTransfer } from '@landfall/kernel/oci/registry-transfer';
import { parseRepository } from '@landfall/kernel/oci/repository';
import type { ReleaseTransfer } from '@landfall/kernel/operator/transfers';
import { createAttestationChecks } from './attestation-checks.ts';
import { type KitChanges, NO_CHANGES } from './changes.ts';
import type { ImportRun, Loader } from './import-run.ts';
import type { ImporterMeters } from './importer-meters.ts';
import { mergeAttached } from './merge-attached.ts';
import { type OciDocument, readDocument, walk } from './oci-document.ts';
import { paths, type ReleaseDocument, readRelease, subjectOfTag } from './release-document.ts';
import { keepStatements, verifyStatements } from './release-statements.ts';

const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

type CarriedImage = ReleaseDocument['images'][number];
type Attached = CarriedImage['attached'][number];

/** Image of a kit, read and verified. */
interface ReadImage {
  readonly image: CarriedImage;
  /** Repository of this site: `host/path`. */
  readonly repository: string;
  /** Its manifests and indexes, the deepest first. */
  readonly documents: readonly OciDocument[];
  readonly attached: readonly (Attached & { readonly documents: readonly OciDocument[] })[];
}

const allDocuments = ({ documents, attached }: ReadImage): readonly OciDocument[] => [
  ...documents,
  ...attached.flatMap((each) => each.documents),
];

/** Text of a file that a kit must have. @throws Fault kit_content_mismatch */
const textOf = async (files: string, path: string): Promise<string> => {
  try {
    return await readFile(join(files, path), 'utf8');
  } catch (error) {
    if (systemErrorCodeOf(error) !== 'ENOENT') throw error;
    throw new Fault('kit_content_mismatch', `The kit has no ${path}.`, { path });
  }
};

/** Statements attached to an image and its manifests; a tag of cosign names the one that it is about. */
const attachmentsOf = async (
  { image, attached }: ReadImage,
  read: (digest: Digest) => Promise<Buffer>,
): Promise<readonly Attachment[]> => {
  const found: Attachment[] = [];
  for (const { tag, documents } of attached)
    for (const { subject, layers } of documents)
      for (const layer of layers) {
        const format = formatOf(layer.mediaType);
        const about = subject?.digest ?? subjectOfTag(tag) ?? image.digest;
        if (format) found.push(attachmentOf(about, format, layer, await read(layer.digest)));
      }
  return found;
};

interface ReleaseLoaderDeps extends Pick<Deps, 'database' | 'http' | 'ids'> {
  readonly releases: ReleaseTransfer;
  readonly meters: ImporterMeters;
}

/** Loads kits of releases: it verifies, pushes to the registry of the site, and creates the release as finalized. */
export const createReleaseLoader = ({ database, http, ids, releases, meters }: ReleaseLoaderDeps): Loader => {
  const transfer = createRegistryTransfer(http, createRegistryClient(http));
  const checks = createAttestationChecks(meters);

  const repositoryOf = (registry: string | null, { repository }: CarriedImage): string =>
    registry === null ? repository : `${registry}/${parseRepository(repository).path}`;

  const readImages = async (run: ImportRun, files: string, { images }: ReleaseDocument): Promise<ReadImage[]> => {
    const fetch = async ({ digest, mediaType }: Pick<Attached, 'digest' | 'mediaType'>): Promise<OciDocument> => {
      if (!run.kit.value.components.some(({ path }) => path === paths.blob(digest)))
        throw new Fault('kit_part_missing', `The kit has no manifest ${digest}.`, { missing: [digest] });
      return readDocument(await readFile(join(files, paths.blob(digest))), digest, mediaType);
    };
    const read = async (image: CarriedImage): Promise<ReadImage> => {
      const attached = [];
      for (const each of image.attached) attached.push({ ...each, documents: await walk(fetch, each) });
      return {
        image,
        repository: repositoryOf(run.row.registry, image),
        documents: await walk(fetch, image),
        attached,
      };
    };
    const all: ReadImage[] = [];
    for (const image of images) all.push(await read(image));
    return all;
  };

  const open = async (caller: Who, repository: string): Promise<OpenTransfer> => {
    const access = await releases.openRegistry(caller, repository);
    if (access instanceof Fault) throw access;
    return transfer.open(access, parseRepository(repository).path, true);
  };

  /** Blobs of an image that the kit has, and those that the registry must have. */
  const missingBlobs = async (run: ImportRun, registry: OpenTransfer, image: ReadImage): Promise<readonly Digest[]> => {
    const carried = new Set(run.kit.value.components.map(({ path }) => path));
    const missing: Digest[] = [];
    for (const { digest } of allDocuments(image).flatMap(({ blobs }) => blobs))
      if (!carried.has(paths.blob(digest)) && !(await registry.hasBlob(digest))) missing.push(digest);
    return missing;
  };

  /** Stores what is attached under a tag, together with what the site has there already. */
  const pushTag = async (registry: OpenTransfer, document: Document, tag: string): Promise<void> => {
    const known = await registry.manifest(tag, MANIFEST_TYPES);
    const next = known ? mergeAttached(known.body, document) : document;
    if (next) await registry.pushManifest(next, tag);
  };

  /** Lists referrers under the tag that replaces the API of a registry without one (distribution-spec 1.1). */
  const pushFallbackIndex = async (registry: OpenTransfer, subject: Digest, documents: readonly OciDocument[]) => {
    const manifests = documents.map(({ mediaType, digest, bytes, artifactType }) => ({
      mediaType,
      digest,
      size: bytes.length,
      ...(artifactType !== undefined && { artifactType }),
    }));
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests }));
    const index = { digest: sha256(bytes), mediaType: INDEX_TYPE, bytes };
    await pushTag(registry, index, subject.replace(':', '-'));
  };

  const pushImage = async (registry: OpenTransfer, image: ReadImage): Promise<void> => {
    for (const document of image.documents) await registry.pushManifest(document);
    const unlisted = new Map<Digest, OciDocument[]>();
    for (const { documents, tag } of image.attached)
      for (const [index, document] of documents.entries()) {
        const isListed = await registry.pushManifest(document);
        if (tag !== null && index === documents.length - 1) await pushTag(registry, document, tag);
        if (tag !== null || isListed || !document.subject) continue;
        unlisted.set(document.subject.digest, [...(unlisted.get(document.subject.digest) ?? []), document]);
      }
    for (const [subject, documents] of unlisted) await pushFallbackIndex(registry, subject, documents);
  };

  /** Pushes what the registry lacks; returns the number of blobs that were, or in a dry run would be, sent. */
  const push = async (run: ImportRun, images: readonly ReadImage[], files: string): Promise<number> => {
    const blobs = images.flatMap((image) => allDocuments(image).flatMap((document) => document.blobs));
    let [done, sent] = [0, 0];
    for (const image of images) {
      const registry = await open(run.caller, image.repository);
      const missing = await missingBlobs(run, registry, image);
      if (missing.length > 0)
        throw new Fault(
          'kit_part_missing',
          `The kit omits ${missing.length} blobs that ${image.repository} lacks. Ask for a full kit.`,
          { missing: missing.slice(0, 50) },
        );
      for (const blob of allDocuments(image).flatMap((document) => document.blobs)) {
        if (!(await registry.hasBlob(blob.digest))) {
          sent += 1;
          if (!run.row.isDryRun) await registry.pushBlob(blob, join(files, paths.blob(blob.digest)));
        }
        done += 1;
        await run.step(done, blobs.length);
      }
      if (!run.row.isDryRun) await pushImage(registry, image);
    }
    return sent;
  };

  /** Verifies every attestation of a kit offline, and returns the platform's statements and the numbers of all. */
  const verify = async (run: ImportRun, release: ReleaseDocument, images: readonly ReadImage[], files: string) => {
    const subjects = new Set<string>(images.flatMap(({ documents }) => documents.map(({ digest }) => digest)));
    const read = (path: string) => textOf(files, path);
    const statements = await verifyStatements(checks, { ...run.kit.value, release, subjects, read });
    let [attestations, unloggedAttestations, unknownAttestations] = [statements.length, 0, 0];
    const { tenant } = run.caller;
    const signers: Signer[] = (await database.read(tenant, (query) => listSigners(query, tenant))).map(signerOf);
    for (const image of images) {
      const attachments = await attachmentsOf(image, (digest) => readFile(join(files, paths.blob(digest))));
      const { proven, unlogged, unknown } = checks.attached(attachments, signers);
      attestations += proven;
      unloggedAttestations += unlogged;
      unknownAttestations += unknown;
    }
    return { statements, counts: { attestations, unloggedAttestations, unknownAttestations } };
  };

  const manifestOf = ({ image, documents }: ReadImage) => {
    const top = documents.at(-1);
    const manifest = top ? readImage(top.bytes, top.mediaType) : 'The image has no manifest.';
    if (typeof manifest !== 'string') return manifest;
    throw new Fault('kit_content_mismatch', `The image ${image.name} cannot be read: ${manifest}`, {
      digest: image.digest,
    });
  };

  return async (run, files, apply): Promise<KitChanges> => {
    const { caller, kit } = run;
    const release = readRelease(await textOf(files, paths.release));
    const read = await readImages(run, files, release);
    const carried = read.map((each) => ({ ...each.image, repository: each.repository, manifest: manifestOf(each) }));
    const { statements, counts: attested } = await verify(run, release, read, files);
    const blobs = await push(run, read, files);
    const { product: name, semver, notes } = release;
    const identity = { kitId: kit.value.kitId, digest: kit.digest };
    return apply(
      run,
      (use) => database.write(caller.tenant, use),
      async (tx) => {
        const created = await releases.create(tx, caller, { name, semver, notes, images: carried, kit: identity });
        await keepStatements(tx, caller, ids, { run, releaseId: created.id, statements });
        const counts = { images: read.length, blobs, ...attested };
        const changes = { ...NO_CHANGES, ...counts, release: `${name} ${semver}`, releaseId: created.id };
        return { changes, carriedReleaseId: created.isNew ? created.id : undefined };
      },
    );
  };
};
