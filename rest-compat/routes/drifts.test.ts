import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { type Id, toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { arm } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry, type Meter } from '@landfall/kernel/system/telemetry';
import { people } from '@landfall/kernel/testing/callers';
import { CALL_GRAPH_BYTES } from '@landfall/scanner';
import { callGraphDocument } from '@landfall/scanner/testing/call-graph-document';
import { importRecords } from '@landfall/scanner/testing/feeds';
import { osvRecord } from '@landfall/scanner/testing/osv';
import { scannerApp } from '@landfall/scanner/testing/scanner-app';
import { insertFindings, insertScan } from '@landfall/scanner/testing/scans';
import { scannerRoutes } from './scanner.ts';

type ScanId = Id<'Scan'>;

const LANGUAGES = ['dotnet', 'java', 'go', 'python', 'node', 'bun', 'deno', 'php', 'ruby', 'rust'];
const NOBODY = '01900000-0000-7000-8000-000000000000';
const LEASE_MS = 900_000;

const driftApp = async ({ meter }: { readonly meter?: Meter } = {}) => {
  const app = await scannerApp({ routes: scannerRoutes, ...(meter && { meter }) });
  const get = (path: string) => app.rest('GET', `/api/v1${path}`, { as: 'scan-reader' });
  const post = (path: string, body?: unknown) => app.rest('POST', `/api/v1${path}`, { as: 'scanner', body });
  return Object.assign(app, {
    get,
    post,
    importGraph: async (scan: ScanId, sketch: Parameters<typeof callGraphDocument>[0]) => {
      const answer = await post(`/scans/${scan}/callgraphs/node`, callGraphDocument(sketch));
      assert.equal(answer.status, 202, answer.text);
      return answer.body;
    },
    drift: async (head: ScanId, base: ScanId, more = '') => {
      const answer = await get(`/scans/${head}/drift?baseScanId=${base}&language=node${more}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    },
  });
};

/** Two scans; only the second one calls `eval`. */
const comparedScans = async (app: Awaited<ReturnType<typeof driftApp>>) => {
  const findings = [{ purl: 'pkg:npm/app@1', vulnId: 'CVE-eval', severityTenths: 98 }];
  const [base, head] = [await insertScan(app.deps, { findings }), await insertScan(app.deps, { findings })];
  await app.importGraph(base, { calls: [['main', 'parse']], sinks: ['eval'] });
  await app.importGraph(head, {
    calls: [
      ['main', 'parse'],
      ['parse', 'eval'],
    ],
    sinks: ['eval'],
  });
  return { base, head };
};

// spec: 4.4/drift, 4.4/drift-latest, 4.4/drift-computed, 2.5/result-per-head-and-language
test('a drift with a base scan is computed, stored, and then answered without one', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const missing = await app.get(`/scans/${head}/drift?language=node`);
  assert.equal(missing.status, 404);
  const computed = await app.drift(head, base);
  assert.deepEqual(computed.counts, {
    becameReachable: 1,
    becameUnreachable: 0,
    sinksConsidered: 1,
    baseReachable: 0,
    headReachable: 1,
  });
  const [sink] = computed.sinks;
  assert.deepEqual([sink.direction, sink.severity, sink.cause.kind], ['became_reachable', 'critical', 'edge_added']);
  assert.deepEqual((await app.get(`/scans/${head}/drift?language=NodeJS`)).body, computed);
  await app.clock.advance(1_000);
  assert.deepEqual(await app.drift(head, base), computed, 'a second comparison is the stored one');
});

// spec: 4.4/drift-full-path
test('paths are compressed unless the full path is asked for', async () => {
  await using app = await driftApp();
  const [base, head] = [await insertScan(app.deps), await insertScan(app.deps)];
  const chain = ['main', 'a', 'b', 'c', 'd', 'eval'];
  const calls = chain.slice(1).map((callee, i) => [chain[i] ?? '', callee] as const);
  await app.importGraph(base, { calls: calls.slice(1), sinks: ['eval'] });
  await app.importGraph(head, { calls, sinks: ['eval'] });
  const [short, full] = [await app.drift(head, base), await app.drift(head, base, '&includeFullPath=true')];
  assert.deepEqual(short.sinks[0].path[2], { elided: 3 });
  assert.equal(full.sinks[0].path.length, 6);
  assert.equal(short.resultDigest, full.resultDigest);
});

// spec: 4.4/sinks, 4.4/sink-direction-aliases, 2.5/directions, 8/drift-page, 8/drift-defaults
test('sinks come in pages of one direction, which has aliases', async () => {
  await using app = await driftApp();
  const [base, head] = [await insertScan(app.deps), await insertScan(app.deps)];
  await app.importGraph(base, { calls: [['main', 'old']], sinks: ['old', 'a', 'b', 'c'] });
  const sinks = ['a', 'b', 'c'];
  await app.importGraph(head, { calls: sinks.map((name) => ['main', name] as const), sinks: [...sinks, 'old'] });
  const { driftId } = await app.drift(head, base);
  const page = async (query: string) => (await app.get(`/drift/${driftId}/sinks${query}`)).body;
  const first = await page('');
  assert.deepEqual([first.total, first.offset, first.limit, first.items.length], [3, 0, 100, 3]);
  for (const alias of ['newly_reachable', 'reachable', 'UP'])
    assert.deepEqual(await page(`?direction=${alias}`), first);
  for (const alias of ['became_unreachable', 'newly_unreachable', 'unreachable', 'down'])
    assert.equal((await page(`?direction=${alias}`)).total, 1);
  const rest = await page('?offset=2&limit=500');
  assert.deepEqual(rest.items, first.items.slice(2));
});

// spec: 7.3/drift-scan-id, 7.3/drift-language, 7.3/drift-direction, 7.3/drift-page, rulings/22, rulings/61
test('each malformed request of drift is refused with 400 as a problem document', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const { driftId } = await app.drift(head, base);
  const paths = [
    '/scans/7/drift',
    `/scans/${head}/drift?baseScanId=7`,
    `/scans/${head}/drift?language=cobol`,
    `/scans/${head}/drift?includeFullPath=perhaps`,
    `/scans/${head}/drift?language=node&language=go`,
    '/drift/7/sinks',
    ...['direction=sideways', 'offset=-1', 'limit=0', 'limit=501', 'limit=x'].map(
      (query) => `/drift/${driftId}/sinks?${query}`,
    ),
  ];
  for (const path of paths) {
    const { status, headers, body } = await app.get(path);
    assert.deepEqual([status, headers.get('content-type')], [400, 'application/problem+json'], path);
    assert.equal(body.status, 400);
  }
  const { body } = await app.get(`/scans/${head}/drift?language=cobol`);
  for (const language of LANGUAGES) assert.ok(body.detail.includes(language), language);
});

// spec: 7.3/drift-missing, rulings/19
test('a scan, base scan, call graph or drift that is missing is 404, another tenant’s too', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const bare = await insertScan(app.deps);
  const foreign = await insertScan(app.deps, { tenant: toTenantId('globex') });
  const paths = [
    `/scans/${NOBODY}/drift`,
    `/scans/${foreign}/drift`,
    `/scans/${head}/drift?baseScanId=${NOBODY}&language=node`,
    `/scans/${head}/drift?baseScanId=${foreign}&language=node`,
    `/scans/${head}/drift?baseScanId=${bare}&language=node`,
    `/scans/${bare}/drift?baseScanId=${base}&language=node`,
    `/scans/${head}/drift?baseScanId=${base}&language=go`,
    `/drift/${NOBODY}/sinks`,
  ];
  for (const path of paths) assert.equal((await app.get(path)).status, 404, path);
});

// spec: 7.3/drift-tenant-headers, rulings/15
test('a tenant header that disagrees with the token, or with another one, is 400', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const call = (...assertedTenants: string[]) =>
    app.module.drifts.compare(
      { ...people['scan-reader'], assertedTenants },
      { scanId: head, baseScanId: base, language: 'node' },
    );
  for (const asserted of [['globex'], ['acme', 'globex']])
    await assert.rejects(call(...asserted), { code: 'VAL_INVALID_VALUE', status: 400 });
  assert.equal((await call('acme', 'acme')).headScan, head);
});

test('a scan compared with itself has no drift', async () => {
  await using app = await driftApp();
  const { head } = await comparedScans(app);
  const { sinks, counts } = await app.drift(head, head);
  assert.deepEqual([sinks, counts.becameReachable, counts.becameUnreachable], [[], 0, 0]);
});

test('a graph that differs in coverage alone leaves no stale drift under the same id', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const before = await app.drift(base, head);
  assert.equal(before.sinks[0].tentative, false);
  await app.importGraph(base, { calls: [['main', 'parse']], sinks: ['eval'], isComplete: false });
  assert.equal((await app.get(`/scans/${base}/drift?language=node`)).status, 404, 'the stale one is gone');
  const after = await app.drift(base, head);
  assert.equal(after.driftId, before.driftId);
  assert.equal(after.sinks[0].tentative, true);
  assert.notEqual(after.resultDigest, before.resultDigest);
});

test('a drift is computed again when findings give its sinks another severity', async () => {
  await using app = await driftApp();
  const [base, head] = [await insertScan(app.deps), await insertScan(app.deps)];
  await app.importGraph(base, { calls: [], sinks: ['eval'] });
  await app.importGraph(head, { calls: [['main', 'eval']], sinks: ['eval'] });
  assert.equal((await app.drift(head, base)).sinks[0].severity, 'unknown');
  const findings = [{ purl: 'pkg:npm/app@1', vulnId: 'GHSA-1', aliases: ['CVE-eval'], severityTenths: 55 }];
  await insertFindings(app.deps, { scan: head, findings });
  assert.equal((await app.drift(head, base)).sinks[0].severity, 'medium');
});

/** Aliases of the ten languages (spec 2.5). */
const ALIASES = {
  dotnet: ['csharp', 'c#', 'cs', '.net', 'net', 'DotNet'],
  java: ['jvm'],
  go: ['golang', 'GO'],
  python: ['py'],
  node: ['nodejs', 'javascript', 'js', 'typescript', 'ts'],
  bun: ['bunjs'],
  deno: ['deno'],
  php: ['PHP'],
  ruby: ['rb'],
  rust: ['rs'],
};

// spec: 2.5/languages, 2.5/language-aliases
test('each of the ten languages has its aliases, in any letter case', async () => {
  await using app = await driftApp();
  const scan = await insertScan(app.deps);
  for (const [language, aliases] of Object.entries(ALIASES))
    for (const alias of [language, ...aliases]) {
      const { status, body } = await app.get(`/scans/${scan}/drift?language=${encodeURIComponent(alias)}`);
      assert.equal(status, 404, alias);
      assert.ok(body.detail.includes(` ${language}.`), body.detail);
    }
});

test('a document that is no call graph is refused with its reason, and a scan keeps its graph', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const graph = callGraphDocument({ calls: [], sinks: [] });
  const bodies = ['no JSON', { ...graph, entries: [] }, { ...graph, more: 1 }, { ...graph, edges: [[0, 9]] }];
  for (const body of bodies) {
    const { status, text } = await app.post(`/scans/${head}/callgraphs/node`, body);
    assert.equal(status, 400, text);
  }
  assert.equal((await app.post(`/scans/${head}/callgraphs/cobol`, graph)).status, 400);
  assert.equal((await app.post(`/scans/7/callgraphs/node`, graph)).status, 400);
  assert.equal((await app.post(`/scans/${NOBODY}/callgraphs/node`, graph)).status, 404);
  assert.equal((await app.drift(head, base)).counts.becameReachable, 1);
});

test('a document above the limit is 413, before it is read where its length is announced', async () => {
  await using app = await driftApp();
  const scan = await insertScan(app.deps);
  const request = httpRequest(`${app.origin}/api/v1/scans/${scan}/callgraphs/node`, {
    method: 'POST',
    headers: { 'x-test-person': 'scanner', 'content-length': CALL_GRAPH_BYTES + 1 },
  });
  request.on('error', () => undefined).flushHeaders();
  const [response] = await once(request, 'response');
  assert.equal(response.statusCode, 413);
  request.destroy();
  async function* tooMuch(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(CALL_GRAPH_BYTES + 1);
  }
  const received = app.module.callGraphs.receive(people.scanner, { scanId: scan, language: 'node' }, tooMuch());
  await assert.rejects(received, { name: 'BodyTooLarge' });
});

/** Advisory that names a vulnerable function of a Go module. */
const goAdvisory = osvRecord('GO-2026-0001', 'pq', {
  affected: [
    {
      package: { ecosystem: 'Go', name: 'github.com/lib/pq' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
      ecosystem_specific: { imports: [{ path: 'github.com/lib/pq', symbols: ['Open'] }] },
    },
  ],
});

test('the output of Go’s callgraph is imported as it is, and functions that advisories name are its sinks', async () => {
  await using app = await driftApp();
  await importRecords(app.deps, [goAdvisory]);
  const scan = await insertScan(app.deps, { components: ['pkg:golang/github.com/lib/pq@1.10.0'] });
  const line = 'example.com/shop.main\t--static-3:4-->\tgithub.com/lib/pq.Open\n';
  const send = async (query: string) =>
    fetch(`${app.origin}/api/v1/scans/${scan}/callgraphs/go?format=callgraph${query}`, {
      method: 'POST',
      headers: { 'x-test-person': 'scanner', 'content-type': 'text/plain' },
      body: line,
    });
  assert.equal((await send('')).status, 400, 'the main module is missing');
  const answer = await send('&mainModule=example.com/shop');
  assert.equal(answer.status, 202);
  const { counts, coverage } = JSON.parse(await answer.text());
  assert.deepEqual([counts, coverage.complete], [{ symbols: 2, edges: 1, entries: 1, sinks: 1 }, false]);
});

// spec: 4.3/compute-reachability, 7.3/drift-never-409
test('reachability is computed by a job, one at a time, and stands beside the findings', async () => {
  await using app = await driftApp();
  const purls = ['pkg:npm/app@1', 'pkg:golang/example.com/app@1'];
  const scan = await insertScan(app.deps, { findings: purls.map((purl) => ({ purl, vulnId: 'CVE-eval' })) });
  await app.importGraph(scan, { calls: [['main', 'eval']], sinks: ['eval'] });
  const path = `/scans/${scan}/compute-reachability`;
  const requested = await app.post(path, { language: 'node' });
  assert.deepEqual([requested.status, requested.body.status, requested.body.language], [202, 'queued', 'node']);
  const again = await app.post(path, { language: 'nodejs' });
  assert.deepEqual([again.status, again.body.code], [409, 'RES_CONFLICT']);
  assert.equal(await app.module.computeReachability(), 1);
  const query = `query ($id: ID!) { scan(id: $id) { callGraphs {
    language reachabilityJob { status } findings { reachable potentiallyReachable unknown unreachable } } } }`;
  const { data } = await app.graph(query, { id: scan }, { as: 'scan-reader' });
  assert.deepEqual(JSON.parse(JSON.stringify(data)).scan.callGraphs, [
    {
      language: 'node',
      reachabilityJob: { status: 'COMPLETED' },
      findings: { reachable: 1, potentiallyReachable: 0, unknown: 0, unreachable: 0 },
    },
  ]);
  assert.equal((await app.post(path, { language: 'node' })).status, 202, 'the next one may follow');
});

test('a computation is refused without a completed scan and its call graph', async () => {
  await using app = await driftApp();
  const queued = await insertScan(app.deps, { status: 'queued' });
  await app.importGraph(queued, { calls: [], sinks: [] });
  const status = async (scan: string, body?: unknown) =>
    (await app.post(`/scans/${scan}/compute-reachability`, body)).status;
  assert.equal(await status(queued, { language: 'node' }), 409);
  assert.equal(await status(await insertScan(app.deps)), 404, 'dotnet unless given');
  assert.equal(await status(NOBODY), 404);
  assert.equal(await status('7'), 400);
  assert.equal(await status(queued, { language: 'cobol' }), 400);
  assert.equal(await status(queued, ['node']), 400);
});

test('the job of a process that died is done by another one after its lease', async () => {
  await using app = await driftApp();
  const scan = await insertScan(app.deps, { findings: [{ purl: 'pkg:npm/app@1', vulnId: 'CVE-eval' }] });
  await app.importGraph(scan, { calls: [], sinks: ['eval'] });
  const { body } = await app.post(`/scans/${scan}/compute-reachability`, { language: 'node' });
  {
    using _death = arm('scanner.reachability.leased', () => Promise.reject(new Error('power cut')));
    await assert.rejects(app.module.computeReachability(), /power cut/);
  }
  assert.equal(await app.module.computeReachability(), 0, 'it is leased');
  await app.clock.advance(LEASE_MS);
  assert.equal(await app.module.computeReachability(), 1);
  const [job] = await app.module.jobs.listNewest(people['scan-reader'], { scanIds: [scan] });
  assert.deepEqual([job?.id, job?.status], [body.jobId, 'completed']);
});

test('a computation during which the scan is rescored is done again for the findings that it has then', async () => {
  await using app = await driftApp();
  const scan = await insertScan(app.deps, { findings: [{ purl: 'pkg:npm/app@1', vulnId: 'GHSA-eval' }] });
  await app.importGraph(scan, { calls: [], sinks: ['eval'] });
  await app.post(`/scans/${scan}/compute-reachability`, { language: 'node' });
  let stated = 0;
  using _rescoring = arm('scanner.reachability.stated', async () => {
    stated += 1;
    if (stated > 1) return;
    await app.deps.database.write(toTenantId('acme'), (tx) =>
      tx.run(sql`delete from scanner.findings where scan_id = ${scan}`),
    );
    await insertFindings(app.deps, { scan, findings: [{ purl: 'pkg:npm/app@1', vulnId: 'CVE-eval' }] });
  });
  assert.equal(await app.module.computeReachability(), 1);
  assert.equal(await app.module.computeReachability(), 1);
  const [job] = await app.module.jobs.listNewest(people['scan-reader'], { scanIds: [scan] });
  assert.deepEqual([job?.status, job?.error], ['completed', null]);
});

// spec: 6/drift-no-meters
test('imports, computations and drifts are in no instrument', async () => {
  const telemetry = createTelemetry(silentLog);
  await using app = await driftApp({ meter: telemetry.meter('scanner') });
  await app.module.rescoreScans();
  const series = async () => (await telemetry.prometheus()).match(/^landfall_.*$|^\S*(?:drift|reach|graph).*$/gm) ?? [];
  const before = await series();
  const { base, head } = await comparedScans(app);
  const { driftId } = await app.drift(head, base);
  assert.equal((await app.get(`/drift/${driftId}/sinks`)).status, 200);
  assert.equal((await app.post(`/scans/${head}/compute-reachability`, { language: 'node' })).status, 202);
  assert.equal(await app.module.computeReachability(), 1);
  assert.ok(before.some((line) => line.startsWith('landfall_scanner_rescore_cycle_duration_ms_count')));
  assert.deepEqual(await series(), before);
  await telemetry.close();
});

// spec: 4.4/scopes
test('reads need ScansRead, imports and computations ScansWrite', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const path = `/api/v1/scans/${head}`;
  const status = async (method: string, target: string, as: 'nobody' | 'scan-reader') =>
    (await app.rest(method, target, { as })).status;
  assert.equal(await status('GET', `${path}/drift?baseScanId=${base}&language=node`, 'nobody'), 403);
  assert.equal(await status('POST', `${path}/callgraphs/node`, 'scan-reader'), 403);
  assert.equal(await status('POST', `${path}/compute-reachability`, 'scan-reader'), 403);
});

// design: graph/scanner
test('the graph shows a drift by its scan and by its id, its sinks as a connection', async () => {
  await using app = await driftApp();
  const { base, head } = await comparedScans(app);
  const fields = `id resultDigest headCoverage { complete } sinks(first: 1) {
    totalCount edges { node { kind confidence path { symbol elided } } } }`;
  const query = `query ($id: ID!, $base: ID) {
    scan(id: $id) { drift(baseScanId: $base, language: "js") { ${fields} } } }`;
  const { data, errors } = await app.graph(query, { id: head, base }, { as: 'scan-reader' });
  assert.equal(errors, undefined);
  const { drift } = JSON.parse(JSON.stringify(data)).scan;
  const [{ node }] = drift.sinks.edges;
  assert.deepEqual([node.kind, node.confidence, node.path.length], ['VULN_SYMBOL', 'STATIC', 3]);
  const byId = await app.graph(
    `query ($id: ID!) { drift(id: $id) { ${fields} } }`,
    { id: drift.id },
    { as: 'scanner' },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(byId.data)).drift, drift);
  assert.equal((await app.drift(head, base)).resultDigest, drift.resultDigest);
});
