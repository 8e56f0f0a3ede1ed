import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { toTenantId } from '../core/ids.ts';
import { sha256 } from '../crypto/digest.ts';
import { createHttpClient } from '../http/client.ts';
import { openEgress } from '../system/egress.ts';
import { createRegistryClient } from './registry-client.ts';
import { createRegistryTransfer } from './registry-transfer.ts';

const http = createHttpClient({ egress: openEgress });
after(() => http.close());

const BLOB = Buffer.from('layer');
const MANIFEST = Buffer.from('{"schemaVersion":2}');
const blob = { digest: sha256(BLOB), size: BLOB.length };
const manifest = { digest: sha256(MANIFEST), mediaType: 'application/vnd.oci.image.manifest.v1+json', bytes: MANIFEST };

/** Lies of a registry that answers every push with 201. */
interface Lies {
  /** It forgets blobs, or keeps this many bytes less of them. */
  readonly forgets?: boolean;
  readonly cuts?: number;
  /** Bytes that it stores in place of a manifest; it never names a digest. */
  readonly stores?: Buffer;
  /** Digest that it names. */
  readonly names?: string;
}

/** A registry that takes everything, and an open transfer to it. */
const openRegistry = async ({ forgets = false, cuts = 0, stores = MANIFEST, names }: Lies) => {
  let size: number | undefined;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const named = names === undefined ? {} : { 'docker-content-digest': names };
    const upload = { location: '/v2/shop/web/blobs/uploads/1' };
    if (request.method === 'POST') return response.writeHead(202, upload).end();
    if (request.method === 'PATCH') {
      if (!forgets) size = body.length - cuts;
      return response.writeHead(202, upload).end();
    }
    if (request.method === 'PUT') return response.writeHead(201, named).end();
    if (request.method === 'GET') return response.writeHead(200, { 'content-type': manifest.mediaType }).end(stores);
    return response.writeHead(size === undefined ? 404 : 200, { 'content-length': size ?? 0 }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const host = `127.0.0.1:${address.port}`;
  const access = { host, origin: `http://${host}`, tenant: toTenantId('acme'), correlationId: 'test' };
  return {
    transfer: createRegistryTransfer(http, createRegistryClient(http)).open(access, 'shop/web', true),
    [Symbol.dispose]: () => void server.close(),
  };
};

const push = async (lies: Lies) => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-push-'));
  const file = join(directory, 'blob');
  await writeFile(file, BLOB);
  using registry = await openRegistry(lies);
  try {
    await registry.transfer.pushBlob(blob, file);
    await registry.transfer.pushManifest(manifest);
  } finally {
    await rm(directory, { recursive: true });
  }
};

test('an answer of success is checked: the blob is there, and the manifest is the one that was sent', async () => {
  await push({});
  const invalid = { code: 'INT_INVALID_RESPONSE' };
  await assert.rejects(push({ forgets: true }), { ...invalid, message: /does not have it/ });
  await assert.rejects(push({ cuts: 1 }), { ...invalid, message: /has 4 bytes, and not 5/ });
  await assert.rejects(push({ stores: Buffer.from('{}') }), { ...invalid, message: /it stored sha256:/ });
  await assert.rejects(push({ names: sha256('another') }), { ...invalid, message: /it stored sha256:/ });
});
