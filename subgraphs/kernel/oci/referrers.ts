import { Fault } from '../core/fault.ts';
import { type Digest, digestHex, sha256 } from '../crypto/digest.ts';
import type { HttpResponse } from '../http/client.ts';
import {
  type Attachment,
  type AttachmentFormat,
  type Attachments,
  attachmentOf,
  bounds,
  type Descriptor,
  formatOf,
  mayBeSigned,
  readArtifact,
  readIndex,
} from './attachment.ts';
import { nextPage } from './next-page.ts';
import type { RegistryAccess, RegistryClient } from './registry-client.ts';
import { invalidAnswer, refusedAnswer } from './registry-faults.ts';

const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
const ARTIFACT = 'application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json';

/** Status codes of a registry without the referrers API (distribution-spec 1.1, end-12). */
const WITHOUT_API: ReadonlySet<number> = new Set([404, 405, 501]);

/** State of reading one repository: attachments found and limits used. */
interface Reading {
  readonly access: RegistryAccess;
  readonly path: string;
  readonly seen: Map<string, Attachment>;
  readonly unread: string[];
  bytes: number;
}

const sizeOf = ({ annotations = {} }: Descriptor): number => JSON.stringify(annotations).length;

/** The next page of a list of referrers, below the repository's path. */
const nextOf = ({ access, path }: Reading, answer: HttpResponse): string | undefined => {
  const prefix = `/v2/${path}/`;
  return nextPage(access.origin, `${prefix}referrers/`, answer)?.slice(prefix.length);
};

/** Reads what is attached to images by OCI 1.1 referrers and by cosign's tags (rulings 65), and verifies digests. */
export const createReferrers = (client: Pick<RegistryClient, 'fetch'>) => {
  const ask = async ({ access, path }: Reading, noun: string, accept: string): Promise<HttpResponse> => {
    const answer = await client.fetch(access, path, noun, accept);
    if (answer instanceof Fault) throw answer;
    return answer;
  };

  /** The bytes of a digest; undefined where they are gone. @throws Fault INT_* */
  const fetchDigest = async (reading: Reading, kind: 'manifests' | 'blobs', digest: Digest, accept: string) => {
    const answer = await ask(reading, `${kind}/${digest}`, accept);
    if (answer.status === 404) return undefined;
    const { access, path } = reading;
    if (answer.status !== 200) throw refusedAnswer(access.host, answer, { path, reference: digest, isTag: false });
    const actual = sha256(answer.body);
    if (actual !== digest) throw invalidAnswer(access.host, `${digest} was asked for, the bytes are ${actual}.`);
    reading.bytes += answer.body.length;
    return answer.body;
  };

  /** The document of a tag that may not be there. @throws Fault INT_* */
  const fetchTag = async (reading: Reading, tag: string, accept: string): Promise<Buffer | undefined> => {
    const answer = await ask(reading, `manifests/${tag}`, accept);
    if (answer.status === 404) return undefined;
    const { access, path } = reading;
    if (answer.status !== 200) throw refusedAnswer(access.host, answer, { path, reference: tag, isTag: true });
    const claimed = answer.headers['docker-content-digest'];
    const actual = sha256(answer.body);
    if (claimed !== undefined && claimed !== actual)
      throw invalidAnswer(access.host, `The registry says ${claimed}, the bytes are ${actual}.`);
    reading.bytes += answer.body.length;
    return answer.body;
  };

  /** Why a layer is not fetched; undefined when it may be. */
  const tooMuch = (reading: Reading, layer: Descriptor): string | undefined => {
    if (layer.size > bounds.statementBytes) return `is larger than ${bounds.statementBytes} bytes`;
    if (sizeOf(layer) > bounds.annotationBytes) return 'has annotations that are too long';
    if (reading.seen.size >= bounds.statements) return `is behind the ${bounds.statements} that are read`;
    if (reading.bytes + layer.size > bounds.totalBytes) return `is behind the ${bounds.totalBytes} bytes that are read`;
    return undefined;
  };

  const readLayer = async (reading: Reading, subject: Digest, format: AttachmentFormat, layer: Descriptor) => {
    const refused = tooMuch(reading, layer);
    if (refused !== undefined) {
      reading.unread.push(`${layer.digest} ${refused}`);
      return;
    }
    const content = await fetchDigest(reading, 'blobs', layer.digest, '*/*');
    if (content === undefined) reading.unread.push(`${layer.digest} is gone`);
    else if (content.length !== layer.size) reading.unread.push(`${layer.digest} has not the size that is said of it`);
    else {
      const attachment = attachmentOf(subject, format, layer, content);
      reading.seen.set(`${subject} ${attachment.id}`, attachment);
    }
  };

  /** @param name of the manifest, for messages */
  const readManifest = async (reading: Reading, subject: Digest, name: string, bytes: Buffer): Promise<void> => {
    const artifact = readArtifact(bytes);
    if (!artifact) {
      reading.unread.push(`${name} is no manifest of an artifact`);
      return;
    }
    if (artifact.subject !== undefined && artifact.subject !== subject) {
      reading.unread.push(`${name} is attached to ${artifact.subject}`);
      return;
    }
    if (artifact.layers.length > bounds.layers) reading.unread.push(`${name} has more than ${bounds.layers} layers`);
    for (const layer of artifact.layers.slice(0, bounds.layers)) {
      const format = formatOf(layer.mediaType);
      if (format) await readLayer(reading, subject, format, layer);
    }
  };

  /**
   * Lists the descriptors of the referrers API, or of the tag that replaces it.
   * @throws Fault INT_*
   */
  const listReferrers = async (reading: Reading, subject: Digest): Promise<readonly Descriptor[]> => {
    const { access, path, unread } = reading;
    const found: Descriptor[] = [];
    let next: string | undefined = `referrers/${subject}`;
    for (let page = 0; next !== undefined; page++) {
      if (page === bounds.pages) {
        unread.push(`the list of what is attached to ${subject} has more than ${bounds.pages} pages`);
        break;
      }
      const answer: HttpResponse = await ask(reading, next, OCI_INDEX);
      if (page === 0 && WITHOUT_API.has(answer.status)) return listByTag(reading, subject);
      if (answer.status !== 200) throw refusedAnswer(access.host, answer, { path, reference: subject, isTag: false });
      const listed = readIndex(answer.body);
      if (!listed) throw invalidAnswer(access.host, `its list of what is attached to ${subject} is no image index.`);
      found.push(...listed);
      next = nextOf(reading, answer);
    }
    return found;
  };

  const listByTag = async (reading: Reading, subject: Digest): Promise<readonly Descriptor[]> => {
    const tag = `sha256-${digestHex(subject)}`;
    const body = await fetchTag(reading, tag, OCI_INDEX);
    const listed = body && readIndex(body);
    if (body && !listed) reading.unread.push(`tag ${tag} is no image index`);
    return listed ?? [];
  };

  const readSubject = async (reading: Reading, subject: Digest): Promise<void> => {
    const listed = (await listReferrers(reading, subject)).filter(({ artifactType }) => mayBeSigned(artifactType));
    if (listed.length > bounds.referrers)
      reading.unread.push(`more than ${bounds.referrers} artifacts are attached to ${subject}`);
    for (const { digest } of listed.slice(0, bounds.referrers)) {
      const body = await fetchDigest(reading, 'manifests', digest, ARTIFACT);
      if (body) await readManifest(reading, subject, digest, body);
      else reading.unread.push(`${digest} is gone`);
    }
    for (const suffix of ['sig', 'att']) {
      const tag = `sha256-${digestHex(subject)}.${suffix}`;
      const body = await fetchTag(reading, tag, ARTIFACT);
      if (body) await readManifest(reading, subject, tag, body);
    }
  };

  return {
    /** Reads statements attached to an index and its platforms, or to a manifest. Returns a Fault INT_* on failure. */
    async read(access: RegistryAccess, path: string, subjects: readonly Digest[]): Promise<Attachments | Fault> {
      const reading: Reading = { access, path, seen: new Map(), unread: [], bytes: 0 };
      if (subjects.length > bounds.subjects) reading.unread.push(`more than ${bounds.subjects - 1} platforms`);
      try {
        for (const subject of subjects.slice(0, bounds.subjects)) await readSubject(reading, subject);
      } catch (error) {
        if (error instanceof Fault) return error;
        throw error;
      }
      return { found: [...reading.seen.values()], unread: reading.unread };
    },
  };
};
