import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { importRecords } from '@landfall/scanner/testing/feeds';
import { osvRecord } from '@landfall/scanner/testing/osv';
import { scannerApp } from '@landfall/scanner/testing/scanner-app';
import { scannerRoutes } from './scanner.ts';

interface Component {
  readonly name: string;
  readonly version?: string;
  readonly purl?: string;
}

/** CycloneDX document about a subject with these components. */
const bomOf = (subject: Component, components: readonly Component[]): string =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { type: 'application', ...subject } },
    components: components.map((component) => ({ type: 'library', ...component })),
  });

const GATE = { name: 'gate', version: '1.1.0', purl: 'pkg:npm/gate@1.1.0' };

/** The scanner behind its routes, over an advisory about gate. */
const gateApp = async () => {
  const app = await scannerApp({ routes: scannerRoutes });
  await importRecords(app.deps, [osvRecord('CVE-2026-1000', 'gate')]);
  const submit = async (body: string) => {
    const headers = { 'x-test-person': 'scanner' };
    const response = await fetch(`${app.origin}/api/v1/scans`, { method: 'POST', headers, body });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return {
    ...app,
    submit,
    /** Submits a bill and matches it. @returns the scan as REST shows it */
    scan: async (body: string) => {
      const { scanId } = (await submit(body)).body;
      await app.module.runScans();
      return (await app.rest('GET', `/api/v1/scans/${scanId}`, { as: 'scanner' })).body;
    },
  };
};

test('a bill with the character NUL, which no column stores, is refused with the reason', async () => {
  await using app = await gateApp();
  for (const bill of [bomOf({ name: 'shop\0' }, [GATE]), bomOf({ name: 'shop' }, [{ ...GATE, name: 'ga\0te' }])]) {
    const { status, body } = await app.submit(bill);
    assert.deepEqual([status, body.code], [400, 'VAL_INVALID_VALUE']);
    assert.match(body.detail, /NUL/);
  }
});

test('a component with a package URL too long to be indexed counts as one without, and the others are evaluated', async () => {
  await using app = await gateApp();
  const purl = `pkg:npm/${randomBytes(3_500).toString('hex')}@1.0.0`;
  const scan = await app.scan(bomOf({ name: 'shop' }, [GATE, { name: 'long', version: '1.0.0', purl }]));
  assert.deepEqual([scan.status, scan.error, scan.findingCount], ['completed', null, 1]);
});

test('a bill about a subject with a long name or package URL is scanned', async () => {
  await using app = await gateApp();
  const long = randomBytes(3_500).toString('hex');
  for (const subject of [{ name: long }, { name: 'shop', purl: `pkg:npm/${long}@1.0.0` }]) {
    const scan = await app.scan(bomOf(subject, [GATE]));
    assert.deepEqual([scan.status, scan.error, scan.findingCount], ['completed', null, 1]);
  }
});

test('a bill that is refused before its end does not block the next request of its connection', async () => {
  await using app = await gateApp();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => agent.destroy());
  const send = async (body: string) => {
    const headers = { 'x-test-person': 'scanner', 'content-length': Buffer.byteLength(body) };
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
    request(`${app.origin}/api/v1/scans`, { method: 'POST', agent, headers }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode, body: answer }), reject);
    })
      .on('error', reject)
      .end(body);
    return promise;
  };
  const unread = `${'['.repeat(10)}${' '.repeat(4 * 1024 * 1024)}`;
  assert.equal((await send(unread)).status, 400);
  assert.equal((await send(bomOf({ name: 'shop' }, [GATE]))).status, 202);
});

test('a refusal that is narrower than its code has one status, in the answer and in its body', async () => {
  await using app = await gateApp();
  const headers = { 'x-test-person': 'scanner', 'content-type': 'text/plain' };
  const path = `${app.origin}/api/v1/scans/00000000-0000-4000-8000-000000000000/compute-reachability`;
  const response = await fetch(path, { method: 'POST', headers, body: '{}' });
  const { status, title } = JSON.parse(await response.text());
  assert.deepEqual([response.status, status, title], [415, 415, 'Unsupported Media Type']);
});
