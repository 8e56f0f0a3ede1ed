import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { toTenantId } from '@landfall/kernel/core/ids';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { Person } from '@landfall/kernel/testing/callers';

import { DEFAULT_SBOM_LIMITS } from '@landfall/scanner';
import { importRecords } from '@landfall/scanner/testing/feeds';
import { osvRecord } from '@landfall/scanner/testing/osv';
import { scannerApp } from '@landfall/scanner/testing/scanner-app';
import Type from 'typebox';
import { scannerRoutes } from './scanner.ts';

const IMAGE = `sha256:${'a'.repeat(64)}`;

/** CycloneDX document of an application with a direct and an indirect dependency, and components that cannot be matched. */
const bom = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  metadata: { component: { 'bom-ref': 'app', type: 'application', name: 'shop', version: '3.0.0' } },
  components: [
    { 'bom-ref': 'wall', type: 'library', name: 'wall', version: '2.0.0', purl: 'pkg:npm/wall@2.0.0' },
    { 'bom-ref': 'gate', type: 'library', name: 'gate', version: '1.1.0', purl: 'pkg:npm/gate@1.1.0' },
    { 'bom-ref': 'bare', type: 'library', name: 'bare', version: '1.0.0' },
    { 'bom-ref': 'odd', type: 'library', name: 'odd', version: 'latest', purl: 'pkg:npm/odd@latest' },
    { 'bom-ref': 'gem', type: 'library', name: 'gem', version: '1.0.0', purl: 'pkg:gem/gem@1.0.0' },
  ],
  dependencies: [
    { ref: 'app', dependsOn: ['wall'] },
    { ref: 'wall', dependsOn: ['gate'] },
  ],
});

/** The scanner behind its routes, over feeds with these advisories. */
const feedApp = async (...records: readonly object[]) => {
  const app = await scannerApp({ routes: scannerRoutes });
  await importRecords(app.deps, records);
  const submit = async (body: string | Uint8Array, query = '', as: Person = 'scanner') => {
    const headers = { 'x-test-person': as };
    const response = await fetch(`${app.origin}/api/v1/scans${query}`, { method: 'POST', headers, body });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  return {
    ...app,
    submit,
    /** Submits a bill and matches it. @returns the scan as REST shows it */
    scan: async (body: string, query = '') => {
      const { scanId } = (await submit(body, query)).body;
      await app.module.runScans();
      return (await app.rest('GET', `/api/v1/scans/${scanId}`, { as: 'scanner' })).body;
    },
  };
};

const events = table('kernel.events seen', { type: text, data: json(Type.Record(Type.String(), Type.Unknown())) });

test('a bill of materials is accepted as a stream, scanned, and shown with its score', async () => {
  await using app = await feedApp(osvRecord('CVE-2026-1000', 'gate'));
  const { status, body, headers } = await app.submit(bom, `?imageDigest=${IMAGE}`);
  assert.deepEqual([status, body.status, headers.get('location')], [202, 'queued', `/api/v1/scans/${body.scanId}`]);
  assert.equal(await app.module.runScans(), 1);
  const { body: scan } = await app.rest('GET', body.statusUrl, { as: 'scan-reader' });
  assert.deepEqual([scan.status, scan.imageDigest, scan.findingCount, scan.error], ['completed', IMAGE, 1, null]);
  assert.ok(scan.score > 0 && scan.score < 1);
  assert.match(scan.rootHash, /^sha256:/);
});

test('the same bill of the same subject is the same scan, gzipped or not', async () => {
  await using app = await feedApp();
  const first = await app.submit(bom);
  const again = await app.submit(gzipSync(bom));
  assert.deepEqual([again.status, again.body.scanId], [200, first.body.scanId]);
  const other = await app.submit(bom, `?imageDigest=${IMAGE}`);
  assert.equal(other.status, 202);
  assert.notEqual(other.body.scanId, first.body.scanId);
});

test('a failed scan is queued again by the same bill', async () => {
  await using app = await feedApp(osvRecord('CVE-2026-1000', 'gate'));
  const { scanId } = (await app.submit(bom)).body;
  await app.deps.database.write(toTenantId('acme'), (tx) =>
    tx.run(sql`/* test */ update scanner.scans set status = 'failed', error = 'The log has it.' where id = ${scanId}`),
  );
  const again = await app.submit(bom);
  assert.deepEqual([again.status, again.body.scanId, again.body.status], [202, scanId, 'queued']);
  await app.module.runScans();
  const { body: scan } = await app.rest('GET', again.body.statusUrl, { as: 'scan-reader' });
  assert.deepEqual([scan.status, scan.error, scan.findingCount], ['completed', null, 1]);
});

test('every component has one outcome, and a component that cannot be matched is never clean', async () => {
  await using app = await feedApp(osvRecord('CVE-2026-1000', 'gate'));
  await app.scan(bom);
  const { data } = await app.graph(
    '{ scans { edges { node { coverage { components evaluated noPurl unknownEcosystem badVersion } subject { name version } } } } }',
    {},
    { as: 'scanner' },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)).scans.edges[0].node, {
    coverage: { components: 5, evaluated: 2, noPurl: 1, unknownEcosystem: 1, badVersion: 1 },
    subject: { name: 'shop', version: '3.0.0' },
  });
});

test('a scan in which nothing could be evaluated has no score', async () => {
  await using app = await feedApp();
  const scan = await app.scan(bom);
  assert.deepEqual([scan.status, scan.score, scan.findingCount], ['completed', null, 0]);
});

test('a finding has the fixed version, the path from a direct dependency, and every id of the vulnerability', async () => {
  await using app = await feedApp(
    osvRecord('GHSA-2c2c-3f3f-4g4g', 'gate', { aliases: ['CVE-2026-1000'], database_specific: { severity: 'HIGH' } }),
    osvRecord('X-1', 'gate', { aliases: ['CVE-2026-1000'] }),
  );
  await app.scan(bom);
  const { data, errors } = await app.graph(
    `{ scans { edges { node { findings { edges { node {
      vulnId aliases purl severity severitySource fixedVersions lowestCleanVersion path kev class } } } } } } }`,
    {},
    { as: 'scan-reader' },
  );
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)).scans.edges[0].node.findings.edges, [
    {
      node: {
        vulnId: 'CVE-2026-1000',
        aliases: ['GHSA-2c2c-3f3f-4g4g', 'X-1'],
        purl: 'pkg:npm/gate@1.1.0',
        severity: 'HIGH',
        severitySource: 'VENDOR',
        fixedVersions: ['1.2.0'],
        lowestCleanVersion: '1.2.0',
        path: ['pkg:npm/wall@2.0.0', 'pkg:npm/gate@1.1.0'],
        kev: false,
        class: 'VULNERABILITY',
      },
    },
  ]);
});

test('findings are listed for the newest scan of an image, page by page', async () => {
  await using app = await feedApp(osvRecord('CVE-2026-1000', 'gate'), osvRecord('CVE-2026-1001', 'gate'));
  await app.scan(bom, `?imageDigest=${IMAGE}&name=old`);
  await app.clock.advance(1_000);
  const newest = await app.scan(bom, `?imageDigest=${IMAGE}&name=new`);
  const first = (await app.rest('GET', '/api/v2/security/findings?limit=1', { as: 'scanner' })).body;
  const next = `/api/v2/security/findings?limit=1&cursor=${first.nextCursor}`;
  const second = (await app.rest('GET', next, { as: 'scanner' })).body;
  assert.deepEqual([first.items.length, second.items.length, second.nextCursor], [1, 1, null]);
  const [finding] = first.items;
  assert.deepEqual([finding.scanId, finding.imageDigest, finding.severity], [newest.scanId, IMAGE, null]);
  assert.notEqual(finding.vulnId, second.items[0].vulnId);
  assert.equal((await app.rest('GET', '/api/v2/security/findings', { as: 'scan-reader' })).status, 403);
});

test('a document that is no bill of materials is refused with its reason', async () => {
  await using app = await feedApp();
  for (const [body, detail] of [
    ['', /./],
    ['hello', /./],
    ['{"bomFormat":"CycloneDX","specVersion":"1.5","components":[{"a":1,"a":2}]}', /twice|duplicate/i],
    [gzipSync('{}').subarray(0, 12), /gzip/],
  ] as const) {
    const refused = await app.submit(body);
    assert.deepEqual([refused.status, refused.body.code], [400, 'VAL_INVALID_VALUE'], String(body));
    assert.match(refused.body.detail, detail);
  }
  assert.equal((await app.submit(bom, '?imageDigest=latest')).status, 400);
  assert.equal((await app.submit(bom, '', 'scan-reader')).status, 403);
  assert.deepEqual(app.bugs, []);
});

test('a bill whose announced length is above the limit is 413, whatever its bytes are', async () => {
  await using app = await feedApp();
  const request = httpRequest(`${app.origin}/api/v1/scans`, {
    method: 'POST',
    headers: { 'x-test-person': 'scanner', 'content-length': DEFAULT_SBOM_LIMITS.bytes + 1 },
  });
  request.on('error', () => undefined).write(Buffer.alloc(1024 * 1024, ' '));
  const [response] = await once(request, 'response');
  assert.equal(response.statusCode, 413);
  request.destroy();
});

test('a completed scan publishes its findings, then its completion', async () => {
  await using app = await feedApp(osvRecord('CVE-2026-1000', 'gate'));
  await app.scan(bom, `?imageDigest=${IMAGE}`);
  const seen = await app.rows(
    events,
    sql`/* kernel.events.listTest */ select type, data from kernel.events where tenant = 'acme' order by id`,
  );
  assert.deepEqual(
    seen.map(({ type }) => type),
    ['scan.create', 'scan.findings', 'scan.complete'],
  );
  const [, page, completed] = seen.map(({ data }) => data);
  const finding = Object(page).findings[0];
  assert.deepEqual([finding.vulnId, finding.kev, finding.fixedVersion], ['CVE-2026-1000', false, '1.2.0']);
  assert.deepEqual([Object(page).imageDigest, Object(completed).imageDigest], [IMAGE, IMAGE]);
  assert.deepEqual(Object(completed).severities, {});
  assert.match(Object(completed).rootHash, /^sha256:/);
});

test('affected answers for a package URL what a scan would find', async () => {
  await using app = await feedApp(osvRecord('CVE-2026-1000', 'gate'));
  const ask = async (purl: string, version?: string) => {
    const query =
      'query ($purl: String!, $version: String) { affected(purl: $purl, version: $version) { isEvaluated ecosystem advisories { id fixedVersions } } }';
    const { data } = await app.graph(query, { purl, ...(version !== undefined && { version }) }, { as: 'scanner' });
    return JSON.parse(JSON.stringify(data)).affected;
  };
  const affecting = {
    isEvaluated: true,
    ecosystem: 'npm',
    advisories: [{ id: 'CVE-2026-1000', fixedVersions: ['1.2.0'] }],
  };
  assert.deepEqual(await ask('pkg:npm/gate@1.1.0'), affecting);
  assert.deepEqual(await ask('pkg:npm/gate', '1.1.0'), affecting);
  assert.deepEqual((await ask('pkg:npm/gate@1.2.0')).advisories, []);
  assert.equal((await ask('pkg:npm/gate@latest')).isEvaluated, false);
});
