import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../core/fault.ts';
import { createDigester, type Digest, sha256 } from '../crypto/digest.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/client.ts';
import { failureOf } from '../http/failure.ts';
import type { RegistryAccess, RegistryClient } from './registry-client.ts';
import { invalidAnswer, refusedAnswer, unanswered } from './registry-faults.ts';

/** Bytes of one request of an upload, so that a blob of any size takes this much memory. */
const CHUNK = 8 * 1024 * 1024;
const TIMEOUTS = { connect: 5_000, headers: 60_000, body: 60_000, total: 600_000 };
const REDIRECTS = 3;

/** Blob by its digest, with its size in bytes. */
export interface Blob {
  readonly digest: Digest;
  readonly size: number;
}

/** Manifest or index with its bytes. */
export interface Document {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

type Sent = Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'>;

/**
 * Copies blobs and manifests between a repository of a registry and files (distribution-spec 1.1, end-2 to end-7).
 * Failures are thrown as Faults INT_*.
 */
export const createRegistryTransfer = (http: HttpClient, client: Pick<RegistryClient, 'authorize'>) => {
  /** Opens a repository for transfers; the authorization is kept until the registry refuses it. */
  const open = (access: RegistryAccess, path: string, mayPush: boolean) => {
    const { host, origin, tenant, correlationId, vouched } = access;
    const scope = `repository:${path}:pull${mayPush ? ',push' : ''}`;
    const base = `${origin}/v2/${path}`;
    const common = { tenant, correlationId, timeouts: TIMEOUTS, ...(vouched && { vouched }) };
    let authorization: Readonly<Record<string, string>> = {};

    const send = async (request: Sent): Promise<HttpResponse> => {
      const attempt = () => http.send({ ...common, ...request, headers: { ...request.headers, ...authorization } });
      let answer = await attempt();
      if (answer.kind === 'response' && answer.status === 401) {
        const granted = await client.authorize(access, answer.headers['www-authenticate'], scope);
        if (granted instanceof Fault) throw granted;
        authorization = { authorization: granted };
        answer = await attempt();
      }
      if (answer.kind !== 'response') throw unanswered(answer, host);
      return answer;
    };

    const expectStatus = (answer: HttpResponse, status: number, reference: string): HttpResponse => {
      if (answer.status === status) return answer;
      throw refusedAnswer(host, answer, { path, reference, isTag: false });
    };

    /** Address at which an upload goes on; only the registry itself may get the bytes and the credentials. */
    const nextOf = ({ headers }: HttpResponse): URL => {
      const next = URL.parse(headers.location ?? '', `${base}/blobs/uploads/`);
      if (next?.origin !== origin) throw invalidAnswer(host, 'an upload goes on at another address than its own.');
      return next;
    };

    const upload = async ({ digest, size }: Blob, file: string): Promise<void> => {
      const started = await send({ url: `${base}/blobs/uploads/`, method: 'POST', body: '' });
      let next = nextOf(expectStatus(started, 202, digest));
      let sent = 0;
      for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) {
        if (!Buffer.isBuffer(chunk)) continue;
        const headers = {
          'content-type': 'application/octet-stream',
          'content-range': `${sent}-${sent + chunk.length - 1}`,
        };
        next = nextOf(expectStatus(await send({ url: next.href, method: 'PATCH', headers, body: chunk }), 202, digest));
        sent += chunk.length;
      }
      if (sent !== size) throw new Fault('SYS_STORAGE_ERROR', `${file} has ${sent} bytes, ${size} are declared.`);
      next.searchParams.set('digest', digest);
      expectDigest(expectStatus(await send({ url: next.href, method: 'PUT', body: '' }), 201, digest), digest);
    };

    /** Compares the digest that the registry names with the one that was meant; undefined where it names none. */
    const expectDigest = ({ headers }: HttpResponse, digest: Digest): boolean => {
      const stored = headers['docker-content-digest'];
      if (stored !== undefined && stored !== digest)
        throw invalidAnswer(host, `it stored ${stored}, ${digest} was sent.`);
      return stored !== undefined;
    };

    const hasBlob = async (digest: Digest, size?: number): Promise<boolean> => {
      const answer = await send({ url: `${base}/blobs/${digest}`, method: 'HEAD' });
      if (answer.status === 404) return false;
      expectDigest(expectStatus(answer, 200, digest), digest);
      const length = answer.headers['content-length'];
      if (size !== undefined && length !== undefined && length !== String(size))
        throw invalidAnswer(host, `its blob ${digest} has ${length} bytes, and not ${size}.`);
      return true;
    };

    /** Reads back a manifest that the registry took without saying what it stored. */
    const readBack = async (reference: string, { digest, mediaType }: Document): Promise<void> => {
      const answer = await send({ url: `${base}/manifests/${reference}`, headers: { accept: mediaType } });
      const actual = sha256(expectStatus(answer, 200, reference).body);
      if (actual !== digest) throw invalidAnswer(host, `it stored ${actual}, ${digest} was sent.`);
    };

    return {
      hasBlob: (digest: Digest): Promise<boolean> => hasBlob(digest),

      /** Stores a blob that the repository lacks. An answer of success is not trusted: the blob must be there. */
      async pushBlob(blob: Blob, file: string): Promise<void> {
        if (await hasBlob(blob.digest, blob.size)) return;
        await upload(blob, file);
        if (!(await hasBlob(blob.digest, blob.size)))
          throw invalidAnswer(host, `it took ${blob.digest} and does not have it.`);
      },

      /**
       * Stores a manifest under its digest or a tag, after everything that it names. Returns whether the registry lists it
       * as a referrer of its subject by itself (distribution-spec 1.1, pushing manifests with subject).
       */
      async pushManifest(document: Document, reference: string = document.digest): Promise<boolean> {
        const { digest, mediaType, bytes } = document;
        const headers = { 'content-type': mediaType };
        const answer = await send({ url: `${base}/manifests/${reference}`, method: 'PUT', headers, body: bytes });
        expectStatus(answer, 201, reference);
        if (!expectDigest(answer, digest)) await readBack(reference, document);
        return answer.headers['oci-subject'] !== undefined;
      },

      /** Manifest of a digest as the registry has it, unverified; undefined where it has none. */
      async manifest(reference: string, accept: string): Promise<HttpResponse | undefined> {
        const answer = await send({ url: `${base}/manifests/${reference}`, headers: { accept } });
        return answer.status === 404 ? undefined : expectStatus(answer, 200, reference);
      },

      /** List of referrers of a manifest; undefined where the registry has no such list. */
      async referrers(digest: Digest): Promise<HttpResponse | undefined> {
        const answer = await send({ url: `${base}/referrers/${digest}`, headers: { accept: '*/*' } });
        return answer.status === 200 ? answer : undefined;
      },

      /** Writes a blob to a file and verifies it. */
      async pullBlob({ digest, size }: Blob, file: string): Promise<void> {
        // A small request first, so that the stream below begins with an authorization that holds.
        if (!(await hasBlob(digest)))
          throw new Fault('INT_RESOURCE_NOT_FOUND', `${host} has no blob ${digest} in ${path}.`, { digest });
        const request = {
          url: `${base}/blobs/${digest}`,
          headers: authorization,
          maxBytes: size,
          redirects: REDIRECTS,
        };
        const answer = await http.stream({ ...common, ...request });
        if (answer.kind !== 'response') throw unanswered(answer, host);
        const digester = createDigester();
        try {
          await pipeline(
            answer.body,
            async function* (chunks: AsyncIterable<Uint8Array>) {
              for await (const chunk of chunks) {
                digester.add(chunk);
                yield chunk;
              }
            },
            createWriteStream(file, { flags: 'wx', mode: 0o600 }),
          );
        } catch (error) {
          await rm(file, { force: true });
          throw unanswered(failureOf(error), host);
        }
        const actual = digester.digest();
        if (actual === digest) return;
        await rm(file, { force: true });
        throw invalidAnswer(host, `${digest} was asked for, the bytes are ${actual}.`);
      },
    };
  };
  return { open };
};

type RegistryTransfer = ReturnType<typeof createRegistryTransfer>;
export type OpenTransfer = ReturnType<RegistryTransfer['open']>;
