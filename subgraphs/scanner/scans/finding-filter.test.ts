import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Id } from '@landfall/kernel/core/ids';
import { people } from '@landfall/kernel/testing/callers';
import { frozenFinding } from '../testing/frozen-scan.ts';
import { scannerApp } from '../testing/scanner-app.ts';
import { insertScan } from '../testing/scans.ts';

const as = people['scan-operator'];

/** Ids of the vulnerabilities of a scan that a filter admits. */
const finder =
  ({ module }: Awaited<ReturnType<typeof scannerApp>>, scanId: Id<'Scan'>) =>
  async (filter: object): Promise<string[]> => {
    const { items } = await module.scans.findings.ofScan(as, { scanId, filter });
    return items.map(({ vulnId }) => vulnId).toSorted();
  };

test('findings are filtered by the bands of their severity; one that nothing rates is in none', async () => {
  await using app = await scannerApp();
  const rated = [0, 39, 40, 69, 70, 89, 90].map((tenths) => ({
    purl: 'pkg:npm/gate@1.1.0',
    vulnId: `CVE-${tenths}`,
    severityTenths: tenths,
  }));
  const unrated = { purl: 'pkg:npm/gate@1.1.0', vulnId: 'CVE-unrated' };
  const find = finder(app, await insertScan(app.deps, { tenant: as.tenant, findings: [...rated, unrated] }));
  assert.deepEqual(await find({ severities: ['critical', 'none'] }), ['CVE-0', 'CVE-90']);
  assert.deepEqual(await find({ severities: ['medium'] }), ['CVE-40', 'CVE-69']);
  assert.deepEqual(await find({ severities: ['high', 'low'] }), ['CVE-39', 'CVE-70', 'CVE-89']);
  assert.equal((await find({})).length, 8);
});

test('findings are filtered by known exploitation and by reachability', async () => {
  await using app = await scannerApp();
  const findings = [
    frozenFinding({ vulnId: 'CVE-1', kev: true, reachability: 'unknown' }),
    frozenFinding({ vulnId: 'CVE-2', kev: false, reachability: 'potentially_reachable' }),
    frozenFinding({ vulnId: 'CVE-3', kev: false, reachability: 'unreachable' }),
  ];
  const find = finder(app, await app.frozenScan({ findings }));
  assert.deepEqual(await find({ kev: true }), ['CVE-1']);
  assert.deepEqual(await find({ kev: false, isReachable: true }), ['CVE-2']);
  assert.deepEqual(await find({ isReachable: false }), ['CVE-1', 'CVE-3']);
});

test('a text finds a part of an id, an alias or a package, in any letter case and without wildcards', async () => {
  await using app = await scannerApp();
  const gate = { purl: 'pkg:npm/gate@1.1.0', vulnId: 'CVE-2026-1000', aliases: ['GHSA-2c2c-3f3f-4g4g'] };
  const wall = { purl: 'pkg:npm/%40quay/wall@2.0.0', vulnId: 'CVE-2026-2000' };
  const find = finder(app, await insertScan(app.deps, { tenant: as.tenant, findings: [gate, wall] }));
  for (const [text, found] of [
    ['ghsa-2C2C', ['CVE-2026-1000']],
    ['WALL', ['CVE-2026-2000']],
    ['-2026-', ['CVE-2026-1000', 'CVE-2026-2000']],
    ['%40quay', ['CVE-2026-2000']],
    ['%gate', []],
    ['ga_e', []],
  ] as const)
    assert.deepEqual(await find({ text }), found, text);
});

test('scans are filtered by the name of their subject', async () => {
  await using app = await scannerApp();
  const id = await app.frozenScan({ image: 'shop' });
  await app.frozenScan({ image: 'shop of another team' });
  const { items } = await app.module.scans.list(as, { subject: 'shop' });
  assert.deepEqual(
    items.map((scan) => scan.id),
    [id],
  );
});
