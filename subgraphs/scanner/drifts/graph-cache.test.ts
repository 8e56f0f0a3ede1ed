import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Id } from '@landfall/kernel/core/ids';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createConnect } from '@landfall/kernel/system/connect';
import { openEgress } from '@landfall/kernel/system/egress';
import { silentLog } from '@landfall/kernel/system/log';
import { people } from '@landfall/kernel/testing/callers';
import { fixedClock } from '@landfall/kernel/testing/clock';
import { until } from '@landfall/kernel/testing/until';
import { bodyOf } from '../testing/bom.ts';
import { callGraphDocument } from '../testing/call-graph-document.ts';
import { startRedisServer } from '../testing/redis-server.ts';
import { scannerApp } from '../testing/scanner-app.ts';
import { insertScan } from '../testing/scans.ts';
import { createGraphCache } from './graph-cache.ts';
import { createRedisClient } from './redis-client.ts';

const connect = createConnect(openEgress);
const acme = toTenantId('acme');
const who = people['scan-operator'];
const stored = randomBytes(100_000);
const graph = { digest: sha256(stored), size: stored.length };

/** A cache over a server of its own. */
const cacheOver = async ({ timeoutMs = 30_000 } = {}) => {
  const clock = fixedClock();
  const server = await startRedisServer({ clock });
  const cache = createGraphCache({ clock, log: silentLog }, createRedisClient(server.url, { timeoutMs, connect }));
  return { clock, server, cache, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
};

// spec: 8/callgraph-cache
test('a graph is cached for an hour under a prefix, its tenant and its digest, as a gzip file', async () => {
  await using given = await cacheOver();
  const { cache, clock, server } = given;
  assert.equal(await cache.find(acme, graph), undefined);
  await cache.save(acme, graph, stored);
  assert.deepEqual([...server.values.keys()], [`callgraph:acme:${graph.digest}`]);
  for (const { value } of server.values.values()) assert.deepEqual(gunzipSync(value), stored);
  clock.advance(3_599_000);
  assert.deepEqual(await cache.find(acme, graph), stored);
  assert.equal(await cache.find(toTenantId('globex'), graph), undefined);
  clock.advance(1_000);
  assert.equal(await cache.find(acme, graph), undefined);
});

test('a cached value that is damaged, another graph or too large is not read', async () => {
  await using given = await cacheOver();
  const { cache, server } = given;
  const damages: readonly ((value: Buffer) => Buffer)[] = [
    (value) => value.subarray(0, -1),
    (value) => Buffer.from(value).fill(0, 500, 501),
    () => gzipSync(randomBytes(stored.length)),
    () => gzipSync(Buffer.alloc(100_000_000)),
    () => Buffer.from('no gzip'),
    () => Buffer.alloc(0),
    () => Buffer.alloc(10_000_000),
  ];
  for (const damage of damages) {
    await cache.save(acme, graph, stored);
    server.tamper(damage);
    assert.equal(await cache.find(acme, graph), undefined);
  }
  await cache.save(acme, graph, stored);
  assert.deepEqual(await cache.find(acme, graph), stored);
});

// spec: 8/callgraph-cache
test('a cache that fails five times in a row is left alone for ten seconds, then tried by one call', async () => {
  await using given = await cacheOver();
  const { cache, clock, server } = given;
  await cache.save(acme, graph, stored);
  server.become('refusing');
  for (let call = 0; call < 7; call++) assert.equal(await cache.find(acme, graph), undefined);
  assert.equal(server.connections(), 1 + 5);
  clock.advance(9_999);
  await cache.save(acme, graph, stored);
  assert.equal(server.connections(), 1 + 5);
  server.become('answering');
  clock.advance(1);
  assert.deepEqual(await cache.find(acme, graph), stored);
  assert.equal(server.connections(), 1 + 5 + 1);
});

test('a cache that does not answer in time is a cache without the graph', async () => {
  await using given = await cacheOver({ timeoutMs: 20 });
  const { cache, server } = given;
  server.become('silent');
  assert.equal(await cache.find(acme, graph), undefined);
  await cache.save(acme, graph, stored);
});

/** The scanner with a cache, and two scans with a graph each, of which the second reaches `eval`. */
const driftApp = async (url: string) => {
  const app = await scannerApp({ env: { CALLGRAPHCACHE__URL: url } });
  const { callGraphs, drifts } = app.module;
  const scanOf = async (calls: readonly (readonly [string, string])[]): Promise<Id<'Scan'>> => {
    const scanId = await insertScan(app.deps);
    const document = JSON.stringify(callGraphDocument({ calls, sinks: ['eval'] }));
    const { digest } = await callGraphs.receive(who, { scanId, language: 'node' }, bodyOf(document));
    await callGraphs.assign(who, { scanId, language: 'node', digest });
    return scanId;
  };
  const [base, head] = [await scanOf([['main', 'parse']]), await scanOf([['main', 'eval']])];
  return {
    ...app,
    /** Whether the database was read for a graph since the last call. */
    readsGraphs: () => app.statements.splice(0).includes('scanner.call_graph_parts.list'),
    /** Sinks of the drift from the one scan to the other, or back. */
    compare: async (isBack = false) => {
      const [scanId, baseScanId] = isBack ? [base, head] : [head, base];
      return (await drifts.compare(who, { scanId, baseScanId, language: 'node' })).drift.sinks;
    },
  };
};

test('graphs that were compared are read from the cache the next time', async () => {
  await using server = await startRedisServer({ clock: fixedClock() });
  await using app = await driftApp(server.url);
  const forth = await app.compare();
  assert.equal(forth.length, 1);
  assert.ok(app.readsGraphs());
  await until(async () => server.values.size === 2);
  app.readsGraphs();
  await app.compare(true);
  assert.equal(app.readsGraphs(), false);
});

test('a drift is computed from the database while the cache is gone or has damaged graphs, and is the same', async () => {
  await using server = await startRedisServer({ clock: fixedClock() });
  await using app = await driftApp(server.url);
  await using bare = await driftApp('redis://127.0.0.1:1');
  await app.compare();
  await until(async () => server.values.size === 2);
  server.tamper(() => gzipSync('another graph'));
  app.readsGraphs();
  assert.deepEqual(await app.compare(true), await bare.compare(true));
  assert.ok(app.readsGraphs());
});
