import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@landfall/kernel/core/fault';
import type { Digest } from '@landfall/kernel/crypto/digest';
import type { Credentials } from '@landfall/kernel/oci/challenge';
import { MANIFEST_TYPES } from '@landfall/kernel/oci/manifest';
import { Agent, type Dispatcher, request } from 'undici';
import { errorClassOf, failure, systemCode } from '../protocol/failure.ts';
import { createRegistryAuthentication } from './registry-authentication.ts';
import { isAllowed, type Location, locateRepository } from './repository.ts';

/** Limits of a pull. Times are in milliseconds. */
export type PullLimits = Readonly<{
  connectMs: number;
  /** Deadline for the first byte of an answer. */
  answerMs: number;
  /** Shortest deadline of a transfer; larger transfers get their size over `bytesPerSecond`. */
  graceMs: number;
  bytesPerSecond: number;
  maxManifestBytes: number;
  maxBlobBytes: number;
  /** Number of attempts when a registry is unreachable, the first one included. */
  tries: number;
  backoffMs: number;
}>;

export const pullLimits: PullLimits = {
  connectMs: 5_000,
  answerMs: 10_000,
  graceMs: 30_000,
  bytesPerSecond: 64 * 1024,
  maxManifestBytes: 4 * 1024 * 1024,
  maxBlobBytes: 4 * 1024 * 1024 * 1024,
  tries: 3,
  backoffMs: 250,
};

type Blob = Readonly<{ digest: Digest; size: number }>;
type Body = Dispatcher.ResponseData['body'];

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

const unreachable = (raw: string, cause?: unknown) => failure('DEPLOY_PULL_FAILED', 'registry-unreachable', raw, cause);

const mismatch = (name: string, actual: string, expected: Digest) =>
  failure('DEPLOY_DIGEST_VERIFICATION_FAILED', 'digest-mismatch', `${name} is ${actual}, not ${expected}`);

const statusFailure = (status: number, url: string) => {
  const raw = `${status} ${url}`;
  if (status === 404) return failure('DEPLOY_ARTIFACT_MISSING', 'artifact-missing', raw);
  if (status === 401 || status === 403) return failure('DEPLOY_PULL_FAILED', 'registry-unauthorized', raw);
  return transientStatuses.has(status) ? unreachable(raw) : failure('DEPLOY_PULL_FAILED', 'unclassified', raw);
};

/** Describes a transport error, by the cause that undici wraps. */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const named = systemCode(error);
  return named && !error.message.includes(named) ? `${named}: ${error.message}` : error.message;
};

/**
 * Creates a client of the OCI distribution API (distribution-spec 1.1): reads manifests and blobs by digest and hashes
 * every byte. `Docker-Content-Digest` is ignored, since a dishonest registry would forge it too. Raises
 * DEPLOY_ARTIFACT_MISSING, DEPLOY_DIGEST_VERIFICATION_FAILED and DEPLOY_PULL_FAILED.
 */
export const createDistribution = (limits: PullLimits, credentials: (host: string) => Credentials | undefined) => {
  const dispatcher = new Agent({
    connect: { timeout: limits.connectMs },
    headersTimeout: limits.answerMs,
    bodyTimeout: limits.answerMs,
  });
  const authority = createRegistryAuthentication(dispatcher, credentials);

  /** Sends a request and follows redirects; the authorization is only sent to its own origin. */
  const follow = async (start: string, headers: Record<string, string>, signal: AbortSignal) => {
    let url = new URL(start);
    for (let hop = 0; hop <= maxRedirects; hop += 1) {
      const { authorization, ...open } = headers;
      const sent = authorization && url.origin === new URL(start).origin ? { ...open, authorization } : open;
      const answer = await request(url, { dispatcher, headers: sent, signal });
      const { location } = answer.headers;
      if (!redirects.has(answer.statusCode) || typeof location !== 'string') return answer;
      await answer.body.dump();
      const next = new URL(location, url);
      if (!isAllowed(next) || (url.protocol === 'https:' && next.protocol === 'http:'))
        throw failure('DEPLOY_PULL_FAILED', 'unclassified', `${url.href} redirects to ${next.href}, which is not TLS`);
      url = next;
    }
    throw failure('DEPLOY_PULL_FAILED', 'unclassified', `${start} redirects more than ${maxRedirects} times`);
  };

  const get = async (location: Location, url: string, accept: string, signal: AbortSignal): Promise<Body> => {
    const send = () => follow(url, { accept, ...authority.headers(location) }, signal);
    let answer = await send();
    if (answer.statusCode === 401) {
      const challenge = answer.headers['www-authenticate'];
      await answer.body.dump();
      if (await authority.answer(location, challenge, signal)) answer = await send();
      else throw statusFailure(401, url);
    }
    if (answer.statusCode === 200) return answer.body;
    await answer.body.dump();
    throw statusFailure(answer.statusCode, url);
  };

  const once = async <T>(url: string, size: number, signal: AbortSignal, use: (signal: AbortSignal) => Promise<T>) => {
    const allowanceMs = limits.graceMs + Math.ceil((size / limits.bytesPerSecond) * 1000);
    const allowance = AbortSignal.timeout(allowanceMs);
    try {
      return await use(AbortSignal.any([signal, allowance]));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (allowance.aborted) throw unreachable(`no complete answer within ${allowanceMs} ms: ${url}`, error);
      if (error instanceof Fault || isLocal(error)) throw error;
      throw unreachable(`${describe(error)}: ${url}`, error);
    }
  };

  const transfer = async <T>(
    url: string,
    size: number,
    signal: AbortSignal,
    use: (signal: AbortSignal) => Promise<T>,
  ) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(url, size, signal, use);
      } catch (error) {
        if (signal.aborted || attempt >= limits.tries || errorClassOf(error) !== 'registry-unreachable') throw error;
        await sleep(limits.backoffMs * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  };

  return {
    /** Fetches a manifest or index and verifies its digest. */
    async manifest(repository: string, digest: Digest, signal: AbortSignal): Promise<Buffer> {
      const at = locateRepository(repository);
      const url = `${at.origin}/v2/${at.path}/manifests/${digest}`;
      return transfer(url, 0, signal, async (limited) => {
        const chunks: Buffer[] = [];
        const hasher = createHash('sha256');
        let size = 0;
        for await (const chunk of chunksOf(await get(at, url, MANIFEST_TYPES, limited))) {
          size += chunk.length;
          if (size > limits.maxManifestBytes)
            throw failure(
              'DEPLOY_PULL_FAILED',
              'image-refused',
              `manifest above ${limits.maxManifestBytes} bytes: ${url}`,
            );
          hasher.update(chunk);
          chunks.push(chunk);
        }
        const actual = `sha256:${hasher.digest('hex')}`;
        if (actual !== digest) throw mismatch('manifest', actual, digest);
        return Buffer.concat(chunks);
      });
    },

    /** Streams a blob to `file` and verifies its digest before it resolves. */
    async blob(repository: string, { digest, size }: Blob, file: string, signal: AbortSignal): Promise<void> {
      if (size > limits.maxBlobBytes)
        throw failure(
          'DEPLOY_PULL_FAILED',
          'image-refused',
          `${digest} has ${size} bytes, above ${limits.maxBlobBytes}`,
        );
      const at = locateRepository(repository);
      const url = `${at.origin}/v2/${at.path}/blobs/${digest}`;
      await transfer(url, size, signal, async (limited) => {
        const body = await get(at, url, '*/*', limited);
        const hasher = createHash('sha256');
        const checked = async function* (source: AsyncIterable<unknown>) {
          let count = 0;
          for await (const chunk of chunksOf(source)) {
            count += chunk.length;
            if (count > size) throw mismatch(`blob of more than ${size} bytes`, 'longer', digest);
            hasher.update(chunk);
            yield chunk;
          }
        };
        await pipeline(body, checked, createWriteStream(file, { mode: 0o600 }), { signal: limited });
        const actual = `sha256:${hasher.digest('hex')}`;
        if (actual !== digest) throw mismatch('blob', actual, digest);
      });
    },

    [Symbol.asyncDispose]: (): Promise<void> => dispatcher.destroy(),
  };
};

export type Distribution = ReturnType<typeof createDistribution>;

const localCodes = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EMFILE']);
const isLocal = (error: unknown): boolean => localCodes.has(systemCode(error) ?? '');

async function* chunksOf(source: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a body is made of bytes');
    yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
}
