import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@landfall/airgap/testing/airgap-app';
import type { Caller, Who } from '@landfall/kernel/core/caller';
import { people } from '@landfall/kernel/testing/callers';
import { createReleaseTransfer, productDirectory } from '@landfall/orchestrator';
import { createScanGate } from '@landfall/scanner';
import { bodyOf, bomThrough } from '@landfall/scanner/testing/bom';
import { testScanner } from '@landfall/scanner/testing/scanner-app';
import { kitSite, osv } from './offline-kits.fixture.ts';

const scanOperator = people['scan-operator'];
const CVE = 'CVE-2026-1000';
const PURL = 'pkg:npm/gate@1.1.0';

const advisory = (changes: object = {}) =>
  osv(CVE, { affected: [{ package: { ecosystem: 'npm', name: 'gate' }, versions: ['1.1.0'] }], ...changes });

const kev = JSON.stringify({
  catalogVersion: '1',
  dateReleased: '2026-11-02T00:00:00Z',
  vulnerabilities: [{ cveID: CVE }],
});

const imageOf = (n: number) => `sha256:${String(n).padStart(64, '0')}` as const;

/** A site with the scanner's gate over releases of its own, and an advisory about gate 1.1.0 in force. */
const gateSite = async ({ matching = async () => {} }: { readonly matching?: () => Promise<unknown> } = {}) => {
  const home = await kitSite((deps) => {
    const gate = createScanGate(deps, productDirectory);
    const open: typeof gate.open = async (...input) => {
      const evaluation = await gate.open(...input);
      return {
        ...evaluation,
        async read(feeds) {
          const match = await evaluation.read(feeds);
          return async () => {
            const found = await match();
            await matching();
            return found;
          };
        },
      };
    };
    return { gate: { ...gate, open }, releases: createReleaseTransfer(deps) };
  });
  const { deps, dataDir } = home;
  const scanner = testScanner(deps, { dataDir, products: productDirectory });
  let versions = 0;
  await home.importFolder((await home.deliver({ 'one.json': advisory() })).folder);
  return {
    ...home,
    scanner,
    /** Creates a release of one image for each component. */
    release: (components: Readonly<Record<string, number>>, who: Who = scanOperator) => {
      versions += 1;
      const images = Object.entries(components).map(([name, n]) => {
        const digest = imageOf(n);
        const manifest = {
          digest,
          mediaType: 'application/vnd.oci.image.manifest.v1+json',
          platforms: [],
          config: null,
        };
        const labels = { source: null, revision: null, version: null };
        return {
          name,
          repository: `registry.example/${name}`,
          digest,
          dependsOn: [],
          manifest: { ...manifest, labels },
        };
      });
      const kit = { kitId: deps.ids.uuid(), digest: imageOf(0) };
      const carried = { name: 'shop', semver: `1.0.${versions}`, notes: null, images, kit };
      return deps.database.write(who.tenant, (tx) => createReleaseTransfer(deps).create(tx, who, carried));
    },
    /** Scans a bill that depends on gate 1.1.0. */
    async scan(n: number, who: Caller = scanOperator) {
      const { digest: sbomDigest } = await scanner.scans.receive(who, bodyOf(bomThrough('wall')));
      await scanner.scans.create(who, { sbomDigest, imageDigest: imageOf(n) });
      await scanner.runScans();
    },
    /** Gate of a dry run of a kit. */
    async preview(files: Readonly<Record<string, string>>, failOn?: string) {
      const { folder } = await home.deliver(files, { sequence: 2 });
      const ended = await home.importFolder(folder, { isDryRun: true, ...(failOn !== undefined && { failOn }) });
      assert.equal(ended.state, 'complete', ended.failureMessage ?? '');
      return ended.changes?.gate;
    },
  };
};

test('a dry run names the release that a newly exploited vulnerability stops, and stores nothing', async () => {
  await using home = await gateSite();
  const { id } = await home.release({ web: 1, worker: 2 });
  await home.scan(1);
  const gate = await home.preview({ 'kev.json': kev });
  const cause = { vulnId: CVE, purl: PURL, kev: true };
  assert.deepEqual(gate, {
    ...{ rule: 'critical,kev,malicious', releases: 1, isCut: false, unscanned: 1, changed: 1 },
    changes: [
      {
        releaseId: id,
        release: 'shop 1.0.1',
        component: 'web',
        environments: [],
        before: 'pass',
        after: 'fail',
        causes: [cause],
      },
    ],
  });
  const scan = (await home.scanner.scans.list(scanOperator, {})).items[0];
  assert.equal(scan?.freezeNumber, 1);
  assert.partialDeepStrictEqual(await home.preview({ 'kev.json': kev }), { changed: 1 }, 'nothing was stored');
});

test('a dry run names the release that a withdrawn advisory frees, by the rule of its caller', async () => {
  await using home = await gateSite();
  const { id } = await home.release({ web: 1 });
  await home.scan(1);
  const withdrawn = { modified: '2026-11-02T00:00:00Z', withdrawn: '2026-11-02T00:00:00Z' };
  const gate = await home.preview({ 'one.json': advisory(withdrawn) }, 'unrated');
  assert.partialDeepStrictEqual(gate, {
    rule: 'unrated',
    changes: [{ releaseId: id, before: 'fail', after: 'pass', causes: [{ vulnId: CVE, purl: PURL }] }],
  });
});

test('a dry run by another rule is another one, also while the first is performed', async () => {
  await using home = await gateSite();
  const { folder } = await home.deliver({ 'kev.json': kev }, { sequence: 2 });
  const request = async (failOn?: string) =>
    (
      await home.module.kitImports.request(operator, {
        folder,
        isDryRun: true,
        ...(failOn !== undefined && { failOn }),
      })
    ).id;
  const ids = [await request('kev'), await request(), await request('unrated')];
  assert.deepEqual([await request('kev'), await request()], ids.slice(0, 2), 'the same again is the same one');
  for (const _each of ids) await home.module.importKits();
  const rules = ids.map(async (id) => (await home.module.kitImports.get(operator, { id })).changes?.gate?.rule);
  assert.deepEqual(await Promise.all(rules), ['kev', 'critical,kev,malicious', 'unrated']);
});

test('a dry run does not report what another import changes meanwhile', async () => {
  let other: (() => Promise<unknown>) | undefined;
  await using home = await gateSite({ matching: async () => other?.() });
  await home.release({ web: 1 });
  await home.scan(1);
  const { folder } = await home.deliver({ 'kev.json': kev }, { sequence: 2 });
  const { folder: harmless } = await home.deliver({ 'other.json': osv('GHSA-9') }, { sequence: 3 });
  other = async () => {
    other = undefined;
    assert.equal((await home.importFolder(folder)).state, 'complete');
  };
  const { changes } = await home.importFolder(harmless, { isDryRun: true });
  assert.equal(changes?.gate?.changed, 0);
});

test('a rule of scores is evaluated with the scores that the kit would give', async () => {
  await using home = await gateSite();
  await home.release({ web: 1 });
  await home.scan(1);
  const changes = [{ before: 'pass', after: 'fail' }];
  assert.partialDeepStrictEqual(await home.preview({ 'kev.json': kev }, 'score>=0.8'), { changes });
});

test('a finding that triage suppresses changes no result', async () => {
  await using home = await gateSite();
  await home.release({ web: 1 });
  await home.scan(1);
  await home.scanner.triage.decide(scanOperator, {
    ...{ vulnerabilityId: CVE, scope: 'tenant', status: 'false_positive', reason: 'It names the wrong package.' },
  });
  assert.partialDeepStrictEqual(await home.preview({ 'kev.json': kev }), { releases: 1, changed: 0, changes: [] });
});

test('another tenant’s releases and scans are none of a dry run’s', async () => {
  await using home = await gateSite();
  const stranger = people['other-scan-operator'];
  await home.release({ web: 1 }, stranger);
  await home.scan(1, stranger);
  assert.partialDeepStrictEqual(await home.preview({ 'kev.json': kev }), { releases: 0, unscanned: 0, changed: 0 });
});

test('no more than 100 releases are evaluated, and a dry run says that there are more', async () => {
  await using home = await gateSite();
  for (let n = 0; n < 101; n++) await home.release({ web: 1 });
  await home.scan(1);
  assert.partialDeepStrictEqual(await home.preview({ 'kev.json': kev }), { releases: 100, isCut: true, changed: 100 });
});

test('a release whose bills are too large together with those before is left out, and a dry run says so', async () => {
  await using home = await gateSite();
  await home.release({ web: 1 });
  await home.release({ web: 2, worker: 3 });
  for (const n of [1, 2, 3]) await home.scan(n);
  const resize = (components: number, n: number) =>
    home.tamper('update scanner.scans set components = $1, evaluated = $1 where image_digest = $2', [
      components,
      imageOf(n),
    ]);
  assert.deepEqual([await resize(150_000, 1), await resize(100_000, 2)], [1, 1]);
  const gate = await home.preview({ 'kev.json': kev });
  assert.partialDeepStrictEqual(gate, { releases: 1, isCut: true, unscanned: 0, changed: 2 });
  await resize(50_000, 1);
  assert.partialDeepStrictEqual(await home.preview({ 'kev.json': kev }), { releases: 2, isCut: false, changed: 3 });
});

test('a rule that nobody can read, and a rule of an import, are refused', async () => {
  await using home = await gateSite();
  const { folder } = await home.deliver({ 'kev.json': kev }, { sequence: 2 });
  for (const input of [{ failOn: 'terrible', isDryRun: true }, { failOn: 'kev' }])
    await assert.rejects(home.module.kitImports.request(operator, { folder, ...input }), {
      code: 'VAL_INVALID_VALUE',
      message: /--fail-on|needs isDryRun/,
    });
  const { id } = await home.module.kitImports.request(operator, { folder, isDryRun: true, failOn: ' kev ,  high' });
  const row = () => home.module.kitImports.get(operator, { id });
  assert.equal((await row()).failOn, 'kev,high');
  await home.tamper(`update airgap.kit_imports set fail_on = 'terrible' where id = $1`, [id]);
  await home.module.importKits();
  assert.partialDeepStrictEqual(await row(), { state: 'failed', failureCode: 'VAL_INVALID_VALUE' });
});
