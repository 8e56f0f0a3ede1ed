import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Fault } from '@landfall/kernel/core/fault';
import type { Ids } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { OBJECT_STORE } from '@landfall/kernel/egress/judgement';
import { type HttpClient, type HttpRequest, type HttpResponse, withFeature } from '@landfall/kernel/http/client';
import type { HttpFailure } from '@landfall/kernel/http/failure';
import { AwsV4Signer } from 'aws4fetch';
import type { BucketSettings } from '../shared/settings.ts';

/** Attempts of a request whose connection failed, or that the server asked to repeat. */
const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 200;
const REPEATED: ReadonlySet<number> = new Set([409, 429, 500, 502, 503, 504]);
/** Longest transfer of one object; `body` bounds the pauses in it. */
const TIMEOUTS = { total: 3_600_000 };

/** Body of a request, which a repeated one opens again. */
interface S3Body {
  readonly sha256: string;
  readonly sizeBytes: number;
  open(): Readable | Uint8Array;
}

interface S3Request {
  readonly method?: NonNullable<HttpRequest['method']>;
  /** Key of an object; absent for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: S3Body;
  /** Statuses besides those of success that the caller understands. */
  readonly accepts?: readonly number[];
}

/** Encodes a key for the path of an address, as signatures have it (RFC 3986). */
export const encodeKey = (key: string): string =>
  encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Base address of a bucket. */
export const bucketUrl = ({ endpoint, bucket, isPathStyle }: BucketSettings): URL => {
  const url = new URL(endpoint);
  if (isPathStyle) url.pathname = `${url.pathname.replace(/\/$/, '')}/${bucket}/`;
  else url.hostname = `${bucket}.${url.hostname}`;
  return url;
};

/** Code of an error that an S3 server answers. */
export const errorCodeOf = ({ body }: Pick<HttpResponse, 'body'>): string =>
  /<Code>(\w+)<\/Code>/.exec(body.toString('utf8'))?.[1] ?? '';

const storageFault = (problem: string): Fault =>
  new Fault('SYS_STORAGE_ERROR', `The object store ${problem}. Try again; an operator runs landfall doctor.`);

const problemOf = (answer: HttpResponse): string => {
  const code = errorCodeOf(answer);
  if (code === 'NoSuchBucket') return 'has no such bucket';
  const named = code === '' ? `${answer.status}` : `${answer.status} ${code}`;
  return answer.status === 401 || answer.status === 403 ? `refuses the credentials (${named})` : `answers ${named}`;
};

/** Sign of a request, by SigV4. The hash of the body is part of it, so that a server refuses changed bytes. */
export const signed = async (
  { url, method = 'GET', headers = {}, sha256 }: Pick<HttpRequest, 'url' | 'method' | 'headers'> & { sha256: string },
  { accessKeyId, secretAccessKey, region }: Pick<BucketSettings, 'accessKeyId' | 'secretAccessKey' | 'region'>,
  now: Date,
): Promise<Readonly<Record<string, string>>> => {
  const signer = new AwsV4Signer({
    url,
    method,
    headers: { ...headers, 'x-amz-content-sha256': sha256 },
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    datetime: now.toISOString().replace(/[:-]|\.\d+/g, ''),
  });
  const result = await signer.sign();
  return Object.fromEntries([...result.headers].filter(([name]) => name !== 'host'));
};

interface S3ClientDeps {
  readonly http: HttpClient;
  readonly ids: Ids;
  readonly bucket: BucketSettings;
  /** Time of this machine, which servers compare with theirs. */
  now(): Date;
}

/** Creates the client of one bucket. Its credentials are in no message. */
export const createS3Client = ({ http: plain, ids, bucket, now }: S3ClientDeps) => {
  const http = withFeature(plain, OBJECT_STORE);
  const base = bucketUrl(bucket);
  const configured: ReadonlySet<string> = new Set([base.origin]);

  const requestOf = async ({ method = 'GET', key = '', query = {}, headers = {}, body }: S3Request) => {
    const url = new URL(base.href + encodeKey(key));
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const sha256 = body?.sha256 ?? sha256Hex('');
    const authorized = await signed({ url: url.href, method, headers, sha256 }, bucket, now());
    const length = body ? { 'content-length': String(body.sizeBytes) } : {};
    const common = { url: url.href, method, configured, correlationId: ids.uuid(), timeouts: TIMEOUTS };
    return { ...common, headers: { ...authorized, ...length }, ...(body && { body: body.open() }) };
  };

  const attempt = async (request: S3Request): Promise<HttpResponse | HttpFailure> => {
    const sent: HttpRequest = await requestOf(request);
    try {
      return await http.send(sent);
    } finally {
      if (sent.body !== undefined && typeof sent.body !== 'string' && 'destroy' in sent.body) sent.body.destroy();
    }
  };

  return {
    bucket: bucket.bucket,

    /** Sends a request and reads its answer. @throws Fault SYS_STORAGE_ERROR */
    async send(request: S3Request): Promise<HttpResponse> {
      for (let count = 1; ; count++) {
        const answer = await attempt(request);
        const isAnswer = answer.kind === 'response';
        if (isAnswer && (answer.status < 300 || request.accepts?.includes(answer.status))) return answer;
        // A server that stays silent took half a minute; its caller is told, and does not wait for two more.
        const isRepeated = isAnswer ? REPEATED.has(answer.status) : answer.kind === 'connection';
        if (count === ATTEMPTS || !isRepeated)
          throw storageFault(isAnswer ? problemOf(answer) : `does not answer: ${answer.message}`);
        await pause(FIRST_PAUSE_MS * 2 ** (count - 1));
      }
    },

    /** Reads an object as a stream. @throws Fault SYS_STORAGE_ERROR */
    async *read(key: string): AsyncGenerator<Uint8Array> {
      const answer = await http.stream({ ...(await requestOf({ key })), maxBytes: Number.MAX_SAFE_INTEGER });
      if (answer.kind !== 'response') throw storageFault(`does not answer: ${answer.message}`);
      if (answer.status === 200) yield* answer.body;
      else {
        answer.body.destroy();
        throw storageFault(`answers ${answer.status}`);
      }
    },
  };
};

export type S3Client = ReturnType<typeof createS3Client>;
