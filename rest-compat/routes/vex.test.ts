import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { openVex, vexApp } from '@landfall/scanner/testing/vex';
import { scannerRoutes } from './scanner.ts';

const vexRestApp = async () => {
  const app = await vexApp({ routes: scannerRoutes });
  await app.source('vendor');
  const send = async (body: string | Uint8Array, source = 'vendor', query = '') => {
    const headers = { 'x-test-person': 'scan-operator' };
    const url = `${app.origin}/api/v1/vex/sources/${source}/documents${query}`;
    const response = await fetch(url, { method: 'POST', headers, body });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { ...app, send };
};

test('a VEX document is added to its source with 201, and the same bytes again are answered with 200', async () => {
  await using app = await vexRestApp();
  const document = openVex({}, { status: 'perhaps' });
  const first = await app.send(document);
  assert.equal(first.status, 201);
  assert.partialDeepStrictEqual(first.body, {
    digest: sha256(document),
    source: 'vendor',
    format: 'openvex',
    trust: 'trusted',
    statementCount: 1,
    problems: [{ path: 'statements[1]' }],
  });
  assert.deepEqual(await app.send(document), { status: 200, body: first.body });
});

test('a byte order mark belongs to the document, and its digest is that of the bytes that were sent', async () => {
  await using app = await vexRestApp();
  const bytes = Buffer.from(`\ufeff${openVex({})}`);
  assert.equal((await app.send(bytes)).body.digest, sha256(bytes));
});

test('a document that is refused says why', async () => {
  await using app = await vexRestApp();
  const refusal = async (...request: Parameters<typeof app.send>) => {
    const { status, body } = await app.send(...request);
    return [status, body.code];
  };
  assert.deepEqual(await refusal(''), [400, 'VAL_REQUIRED_FIELD']);
  assert.deepEqual(await refusal('{}'), [400, 'VAL_INVALID_VALUE']);
  assert.equal(
    (await app.send('{}')).body.detail,
    'The document cannot be read as VEX: it is neither OpenVEX nor CSAF nor CycloneDX.',
  );
  assert.deepEqual(await refusal(Buffer.from([0x7b, 0xff])), [400, 'VAL_INVALID_FORMAT']);
  assert.deepEqual(await refusal(Buffer.alloc(16 * 1024 * 1024 + 1, ' ')), [413, 'VAL_TOO_LONG']);
  assert.deepEqual(await refusal(openVex({}), 'nobody'), [404, 'RES_NOT_FOUND']);
  assert.deepEqual(await refusal(openVex({}), 'vendor', '?signature=a!'), [400, 'VAL_INVALID_FORMAT']);
});
