import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Fault } from '@landfall/kernel/core/fault';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { failpoint } from '@landfall/kernel/system/failpoint';
import {
  dayOf,
  type ObjectProtection,
  type ObjectStore,
  once,
  type StagedFile,
  type StoredObject,
} from './object-store.ts';
import { encodeKey, errorCodeOf, type S3Client } from './s3-client.ts';
import { CorruptObject, verifiedBytes } from './verified-reading.ts';

/** Size below which an object is read at once. */
const SMALL_BYTES = 256 * 1024;
const [TRASH, QUARANTINE, MARKER] = ['.trash', '.quarantine', '.landfall-store'] as const;
const IF_ABSENT = { 'if-none-match': '*' };

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name = '') =>
    hex || decimal ? String.fromCodePoint(Number(hex ? `0x${hex}` : decimal)) : (ENTITIES[name] ?? whole),
  );

/** Text of the first element of a name; undefined if there is none. */
const textIn = (xml: string, name: string): string | undefined => {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text === undefined ? undefined : unescaped(text);
};

const bodyOf = (bytes: string | Uint8Array) => ({
  sha256: sha256Hex(bytes),
  sizeBytes: Buffer.byteLength(bytes),
  open: () => Buffer.from(bytes),
});

/** Headers by which a server refuses other bytes than these. */
const checksum = (hex: string) => ({ 'x-amz-checksum-sha256': Buffer.from(hex, 'hex').toString('base64') });

/**
 * Creates the storage of objects in a bucket of an S3-compatible server. Besides the objects it keeps a marker, and the
 * folders `.trash` and `.quarantine`.
 * @param lockMode setting `Artifacts:S3:ObjectLock`
 */
export const createS3Objects = (client: S3Client, lockMode: string): ObjectStore => {
  const open: ObjectStore['open'] = async (key, expectedBytes = Number.POSITIVE_INFINITY) => {
    // A range of an empty object is refused by some servers, and never answered by others.
    if (expectedBytes === 0 || expectedBytes >= SMALL_BYTES) {
      const facts = await stat(key);
      return facts && { sizeBytes: facts.sizeBytes, bytes: client.read(key) };
    }
    const answer = await client.send({ key, headers: { range: `bytes=0-${expectedBytes}` }, accepts: [404, 416] });
    if (answer.status === 404) return missing(errorCodeOf(answer));
    const bytes = answer.status === 416 ? Buffer.alloc(0) : answer.body;
    return { sizeBytes: bytes.length, bytes: once(bytes) };
  };

  /** Tells an object that is not there from a bucket that is not there. @throws Fault SYS_STORAGE_ERROR */
  const missing = async (code: string): Promise<undefined> => {
    if (code !== 'NoSuchKey') await client.send({ query: { 'list-type': '2', 'max-keys': '0' } });
  };

  const stat: ObjectStore['stat'] = async (key) => {
    const { status, headers } = await client.send({ method: 'HEAD', key, accepts: [404] });
    if (status === 404) return missing('');
    return { sizeBytes: Number(headers['content-length']), modifiedAt: new Date(headers['last-modified'] ?? '') };
  };

  /** Whether the object of a key has the staged bytes already. */
  const isWhole = async (key: string, { sha256, sizeBytes }: StagedFile): Promise<boolean> => {
    const object = await open(key, sizeBytes);
    if (!object) return false;
    try {
      for await (const _chunk of verifiedBytes(object, { sha256, sizeBytes }));
      return true;
    } catch (error) {
      if (error instanceof CorruptObject) return false;
      throw error;
    }
  };

  /** Moves an object; none is a success. A server has no move: a copy that is whole comes before the removal. */
  const move = async (key: string, target: string): Promise<void> => {
    if (!(await stat(key))) return;
    const headers = { 'x-amz-copy-source': encodeKey(`/${client.bucket}/${key}`) };
    const { body } = await client.send({ method: 'PUT', key: target, headers });
    // A copy that fails after its headers were sent is a success by its status.
    if (!body.includes('<CopyObjectResult'))
      throw new Fault('SYS_STORAGE_ERROR', `The object store copied no object: ${errorCodeOf({ body })}.`);
    await client.send({ method: 'DELETE', key });
  };

  async function* list(folder: string): AsyncGenerator<StoredObject> {
    let token: string | undefined;
    do {
      const query = { 'list-type': '2', prefix: `${folder}/`, ...(token && { 'continuation-token': token }) };
      const xml = (await client.send({ query })).body.toString('utf8');
      if (!xml.includes('<ListBucketResult'))
        throw new Fault('SYS_STORAGE_ERROR', 'The object store answers no list of objects.');
      for (const [entry] of xml.matchAll(/<Contents>.*?<\/Contents>/gs))
        yield {
          key: textIn(entry, 'Key') ?? '',
          sizeBytes: Number(textIn(entry, 'Size')),
          modifiedAt: new Date(textIn(entry, 'LastModified') ?? ''),
        };
      token = textIn(xml, 'NextContinuationToken');
    } while (token !== undefined);
  }

  const setLock = async (key: string, subresource: string, xml: string): Promise<void> => {
    const body = bodyOf(xml);
    const headers = checksum(body.sha256);
    await client.send({ method: 'PUT', key, query: { [subresource]: '' }, headers, body });
  };

  const protect = async (key: string, { retainUntil, isHeld }: ObjectProtection): Promise<void> => {
    const mode = lockMode.toUpperCase();
    const until = retainUntil && `<Mode>${mode}</Mode><RetainUntilDate>${retainUntil.toISOString()}</RetainUntilDate>`;
    if (until) await setLock(key, 'retention', `<Retention>${until}</Retention>`);
    await setLock(key, 'legal-hold', `<LegalHold><Status>${isHeld ? 'ON' : 'OFF'}</Status></LegalHold>`);
  };

  return {
    async put(key, staged) {
      const { path, sizeBytes, sha256 } = staged;
      const hex = sha256.slice('sha256:'.length);
      const body = { sha256: hex, sizeBytes, open: () => (sizeBytes === 0 ? Buffer.alloc(0) : createReadStream(path)) };
      const request = { method: 'PUT', key, headers: checksum(hex), body } as const;
      await failpoint('artifacts.put.placing');
      // 501: a server without conditional writes.
      const conditional = { ...request, headers: { ...request.headers, ...IF_ABSENT }, accepts: [412, 501] };
      const { status } = await client.send(conditional);
      if (status === 501 || (status === 412 && !(await isWhole(key, staged)))) await client.send(request);
      await failpoint('artifacts.put.placed');
      await rm(path, { force: true });
    },
    open,
    stat,
    quarantine: (key) => move(key, `${QUARANTINE}/${key}.${randomUUID()}`),
    discard: (key, day) => move(key, `${TRASH}/${dayOf(day)}/${key}.${randomUUID()}`),
    async emptyTrash(before) {
      for await (const { key } of list(TRASH))
        if (key.slice(TRASH.length + 1) < dayOf(before)) await client.send({ method: 'DELETE', key });
    },
    list,
    async bind(identity) {
      const { status, body } = await client.send({ key: MARKER, accepts: [404] });
      if (status !== 404) return body.toString('utf8');
      await client.send({ method: 'PUT', key: MARKER, headers: IF_ABSENT, body: bodyOf(identity), accepts: [412] });
      return (await client.send({ key: MARKER })).body.toString('utf8');
    },
    ...(lockMode === 'none' ? {} : { protect }),
  };
};
