import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { testDeps } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import fc from 'fast-check';
import { createCorpus } from '../corpus/corpus.ts';
import { documentOf } from '../platform/document-format.ts';
import { runIfElapsed } from '../shared/interval.ts';
import { createAdapters } from './adapters.ts';
import { findings } from './findings.ts';
import { policy as policyAdapter } from './policy.ts';
import { suppressionMinutes } from './suppression.ts';
import { FINDINGS, finding, POLICIES, policy, type Scripted, scriptedUpstream, VEX } from './upstream.fixture.ts';
import { vex } from './vex.ts';

const MINUTE_MS = 60_000;
const ACME = toTenantId('acme');
const admin = people['search-admin'];

const adaptersApp = async () => {
  const base = await testDeps();
  const telemetry = createTelemetry(silentLog);
  const server = await scriptedUpstream();
  const corpus = createCorpus(base.deps);
  const ports = { upstream: server.upstream, meter: telemetry.meter('search') };
  const adapters = createAdapters({
    ...base.deps,
    corpus,
    ports,
    settings: { indexRefreshSeconds: 300 },
    timeoutMs: 2_000,
  });
  const shape = table('search.chunks', { documentKey: text, title: text });
  return {
    ...base,
    server,
    adapters,
    corpus,
    refresh: () => adapters.refresh(ACME, admin),
    list: () => adapters.list(admin, {}),
    documents: (source: string) =>
      base.deps.database.read(ACME, (query) =>
        query.list(
          shape,
          sql`select document_key, title from search.chunks
            where tenant = 'acme' and source = ${source} and removed_at is null order by document_key`,
        ),
      ),
    /** Lines of the fallback counter, without what the exporter adds. */
    fallbacks: async () =>
      (await telemetry.prometheus())
        .split('\n')
        .filter((line) => line.startsWith('advisory_ai_unified_adapter_fallback_total{'))
        .map((line) => /reason="(\w+)",structural="(\w+)".*} (\d+)/.exec(line)?.slice(1).join(' ') ?? line)
        .toSorted(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await telemetry.close();
      await base[Symbol.asyncDispose]();
    },
  };
};

const keys = (rows: readonly { readonly documentKey: string }[]) => rows.map(({ documentKey }) => documentKey);

// spec: 2.8/provenance
test('every page is read in the caller’s name; what is no longer there vanishes; the same again changes nothing', async () => {
  await using app = await adaptersApp();
  const { server } = app;
  server.page(FINDINGS, [finding('f1'), finding('f2')], 'two+/=');
  server.page(`${FINDINGS}?cursor=two%2B%2F%3D`, [finding('f3')]);
  server.page(POLICIES, [policy('approvals:1')], 'p2');
  server.page(`${POLICIES}&cursor=p2`, [policy('approvals:2', 'Approvals in Staging')]);
  const [found, governed] = await app.refresh();
  assert.deepEqual(
    [found?.source, found?.cause, found?.snapshotBackedCount, found?.upstreamSuppressedUntil],
    ['upstream', null, 0, null],
  );
  assert.equal(governed?.attemptedTarget, POLICIES);
  assert.deepEqual(keys(await app.documents('findings')), ['f1', 'f2', 'f3']);
  assert.deepEqual(keys(await app.documents('policy')), ['approvals:1', 'approvals:2']);
  assert(server.asked.every(({ subject }) => subject === admin.subject));

  const before = await app.corpus.summary(ACME);
  await app.refresh();
  assert.deepEqual(await app.corpus.summary(ACME), before);
  server.page(FINDINGS, [finding('f2')]);
  await app.refresh();
  assert.deepEqual(keys(await app.documents('findings')), ['f2']);
});

test('a finding that the platform tells of its own events is left out, also where it was read before', async () => {
  await using app = await adaptersApp();
  app.server.page(FINDINGS, [finding('f1'), finding('f2')]);
  await app.refresh();
  const fields = { kind: 'Finding', id: 'f1', domain: 'findings', entityType: 'vulnerability' } as const;
  const document = documentOf(fields, { title: 'Told', body: 'Told.', at: '2026-01-01T00:00:00Z' });
  await app.corpus.put(ACME, [document]);
  await app.refresh();
  assert.deepEqual(keys(await app.documents('findings')), ['f2']);
  assert.deepEqual(keys(await app.documents('platform')), ['findings/Finding/f1']);
  await app.corpus.remove(ACME, 'platform', ['findings/Finding/f1']);
  await app.refresh();
  assert.deepEqual(keys(await app.documents('findings')), ['f1', 'f2']);
});

// spec: 2.8/adapter-suppression, 8/suppression, 6/search-meters
test('a route that is absent is left alone for five minutes, doubling to an hour, and asked again once it answers', async () => {
  await using app = await adaptersApp();
  const { server, clock } = app;
  server.page(FINDINGS, [finding('f1')]);
  server.page(POLICIES, []);
  await app.refresh();
  server.answer(FINDINGS, { status: 404, body: 'nope' });

  const pauses: number[] = [];
  for (let round = 0; round < 6; round++) {
    const [found] = await app.refresh();
    assert.deepEqual([found?.source, found?.cause, found?.snapshotBackedCount], ['snapshot', 'http_404', 1]);
    const until = found?.upstreamSuppressedUntil?.getTime() ?? 0;
    pauses.push((until - clock.now().getTime()) / MINUTE_MS);
    const requestCount = server.asked.length;
    await clock.advance(until - clock.now().getTime() - 1);
    const [still] = await app.refresh();
    assert.deepEqual([still?.cause, still?.upstreamSuppressedUntil?.getTime()], ['http_404', until]);
    assert.equal(server.asked.slice(requestCount).filter(({ target }) => target === FINDINGS).length, 0);
    await clock.advance(1);
  }
  assert.deepEqual(pauses, [5, 10, 20, 40, 60, 60]);
  assert.deepEqual(keys(await app.documents('findings')), ['f1']);

  server.page(FINDINGS, [finding('f9')]);
  const [back] = await app.refresh();
  assert.deepEqual([back?.source, back?.cause, back?.upstreamSuppressedUntil], ['upstream', null, null]);
  server.answer(FINDINGS, { status: 404, body: '' });
  const [repeated] = await app.refresh();
  assert.equal((repeated?.upstreamSuppressedUntil?.getTime() ?? 0) - clock.now().getTime(), 5 * MINUTE_MS);
  const counted = await app.fallbacks();
  assert(
    counted.every((line) => /^(?:http_404|suppressed) true \d+$/.test(line)),
    String(counted),
  );
});

const failing: readonly (readonly [string, Scripted])[] = [
  ['http_503', { status: 503, body: '{}' }],
  ['http_403', { status: 403, body: '{}' }],
  ['malformed', { status: 200, body: '<html>' }],
  ['malformed', { status: 200, body: '{"items":{}}' }],
  ['malformed', { status: 200, body: '{"items":[{"odd":1}],"nextCursor":null}' }],
  ['timeout', 'hang'],
  ['unreachable', 'drop'],
];

// spec: rulings/48
test('any other failure gives the snapshot for that call, and nothing is left alone', async () => {
  await using app = await adaptersApp();
  const { server } = app;
  server.page(FINDINGS, [finding('f1'), finding('f2')]);
  server.page(POLICIES, []);
  await app.refresh();
  for (const [reason, answer] of failing) {
    server.answer(FINDINGS, answer);
    const [found] = await app.refresh();
    assert.deepEqual(
      [found?.source, found?.cause, found?.snapshotBackedCount, found?.upstreamSuppressedUntil],
      ['snapshot', reason, 2, null],
    );
    assert.deepEqual(keys(await app.documents('findings')), ['f1', 'f2']);
  }
  const counted = (await app.fallbacks()).filter((line) => line.includes('false'));
  assert.deepEqual(counted, [
    'http_403 false 1',
    'http_503 false 1',
    'malformed false 3',
    'timeout false 1',
    'unreachable false 1',
  ]);
});

test('a list that breaks off leaves what was known, and one that goes in circles ends', async () => {
  await using app = await adaptersApp();
  const { server } = app;
  server.page(POLICIES, []);
  server.page(FINDINGS, [finding('f1'), finding('f2')]);
  await app.refresh();
  server.page(FINDINGS, [finding('f3')], 'next');
  server.answer(`${FINDINGS}?cursor=next`, { status: 500, body: '' });
  assert.equal((await app.refresh())[0]?.cause, 'http_500');
  assert.deepEqual(keys(await app.documents('findings')), ['f1', 'f2', 'f3']);
  server.page(`${FINDINGS}?cursor=next`, [finding('f4')], 'next');
  assert.equal((await app.refresh())[0]?.cause, 'malformed');
  assert.deepEqual(keys(await app.documents('findings')), ['f1', 'f2', 'f3', 'f4']);
});

test('before anything was asked, every adapter says so; another tenant’s state is not told', async () => {
  await using app = await adaptersApp();
  const notRequested = [
    ['findings', 'snapshot', 'not_asked_yet', FINDINGS],
    ['policy', 'snapshot', 'not_asked_yet', POLICIES],
    ['vex', 'snapshot', 'not_asked_yet', VEX],
  ];
  const upstreamErrors = async () =>
    (await app.adapters.list(people['other-searcher'], {})).map((one) => [
      one.name,
      one.source,
      one.cause,
      one.attemptedTarget,
    ]);
  assert.deepEqual(await upstreamErrors(), notRequested);
  await app.refresh();
  assert.deepEqual(await upstreamErrors(), notRequested);
});

test('more people than there are connections ask for the adapters at once, and all are answered', async () => {
  await using app = await adaptersApp();
  const CONNECTIONS = 12;
  const answers = await Promise.all(Array.from({ length: 2 * CONNECTIONS }, () => app.list()));
  assert(answers.every(({ length }) => length === 3));
});

/** The routes of the specification with their scopes, written out so that no constant of ours vouches for itself. */
const ROUTES = [
  { target: '/api/v2/security/findings', scope: 'findings:read' },
  {
    target: '/api/v1/authority/effective-policies?enabledOnly=false&includeExpired=true&limit=100',
    scope: 'policy:read',
  },
  { target: '/api/v1/canonical', scope: 'vex:read' },
];

// spec: 2.8/adapter-findings, 2.8/adapter-policy
test('the background refresh reads for every tenant in which anything happened, with three scopes, once in its interval', async () => {
  await using app = await adaptersApp();
  const { server, deps, clock } = app;
  server.page(FINDINGS, []);
  server.page(POLICIES, []);
  for (const tenant of ['acme', 'globex'])
    await deps.database.write(toTenantId(tenant), (tx) =>
      tx.run(sql`insert into kernel.events (tenant, type, entity, entity_id, version, actor, correlation_id, data)
        values (${tenant}, 't', 'T', '1', 1, 'a', 'c', '{}')`),
    );
  const works = await app.adapters.works();
  assert.deepEqual(
    works.map(({ name }) => name),
    ['search.sources/acme', 'search.sources/globex'],
  );
  const runs = async () => Promise.all(works.map((work) => runIfElapsed(deps, work)));
  assert.deepEqual(
    [await runs(), await runs()],
    [
      [true, true],
      [false, false],
    ],
  );
  assert.equal(server.asked.length, 6);
  assert.deepEqual(new Set(server.asked.map(({ subject }) => subject)), new Set(['search-refresh']));
  for (const { target, scope } of ROUTES) {
    const requests = server.asked.filter((one) => one.target === target);
    assert.equal(requests.length, 2, target);
    assert(requests.every(({ scopes }) => scopes.includes(scope) && scopes.length === ROUTES.length));
  }
  await clock.advance(299_000);
  assert.deepEqual(await runs(), [false, false]);
  await clock.advance(1_000);
  assert.deepEqual(await runs(), [true, true]);
});

test('pauses begin at five minutes, never shrink and never pass an hour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), (absences) => {
      const [now, next] = [suppressionMinutes(absences), suppressionMinutes(absences + 1)];
      return now >= 5 && next <= 60 && (next === now * 2 || next === 60);
    }),
  );
});

test('whatever an item is, it becomes a document or nothing', () => {
  fc.assert(
    fc.property(fc.anything(), (item) => {
      for (const adapter of [findings, policyAdapter, vex]) assert.doesNotThrow(() => adapter.chunkOf(item));
    }),
  );
  const chunk = findings.chunkOf(finding('f1', 'cve-2021-44228'));
  assert.deepEqual(
    [chunk?.entityKey, chunk?.severity, chunk?.ecosystem, chunk?.packages],
    ['vulnerability:CVE-2021-44228', 'critical', 'Maven', ['org.apache.logging.log4j:log4j-core']],
  );
  const ruled = policyAdapter.chunkOf(policy('approvals:1'));
  assert.deepEqual([ruled?.entityKey, ruled?.ref?.type], ['policy:orchestrator/approvals:1', 'Environment']);
  const stated = vex.chunkOf({
    id: 'v1',
    vulnId: 'GHSA-jfh8-c2jp-5v3q',
    aliases: ['CVE-2021-44228'],
    status: 'not_affected',
  });
  assert.equal(stated?.entityKey, 'vulnerability:CVE-2021-44228');
});
