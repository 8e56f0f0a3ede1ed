import assert from 'node:assert/strict';
import { test } from 'node:test';
import { people } from '@landfall/kernel/testing/callers';
import { bodyOf } from '../testing/bom.ts';
import { importRecords } from '../testing/feeds.ts';
import { osvRecord } from '../testing/osv.ts';
import { scannerApp } from '../testing/scanner-app.ts';

const who = people['scan-operator'];

const advisoryAbout = (id: string, ecosystem: string, name: string) =>
  osvRecord(id, name, {
    affected: [
      {
        package: { ecosystem, name },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2.0-1' }] }],
      },
    ],
  });

/** The scanner with advisories about packages of some ecosystems, as `[ecosystem, package]`. */
const feedApp = async (...advised: readonly (readonly [ecosystem: string, name: string])[]) => {
  const app = await scannerApp();
  await importRecords(
    app.deps,
    advised.map(([ecosystem, name], n) => advisoryAbout(`X-${n}`, ecosystem, name)),
  );
  const { scans, runScans } = app.module;
  return {
    ...app,
    isEvaluated: async (purl: string) => (await scans.affected(who, { purl })).isEvaluated,
    coverageOf: async (...purls: readonly string[]) => {
      const components = purls.map((purl, n) => ({ type: 'library', name: `c${n}`, purl }));
      const bom = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components });
      const { digest } = await scans.receive(who, bodyOf(bom));
      const { scan } = await scans.create(who, { sbomDigest: digest });
      await runScans();
      const { evaluated, unknownEcosystem, findingCount } = await scans.get(who, { id: scan.id });
      return { evaluated, unknownEcosystem, findingCount };
    },
  };
};

test('a package of an ecosystem without a feed is not evaluated, rather than affected by nothing', async () => {
  await using app = await feedApp(['npm', 'gate']);
  assert.equal(await app.isEvaluated('pkg:npm/fence@1.0.0'), true);
  assert.equal(await app.isEvaluated('pkg:cargo/gate@1.0.0'), false);
});

test('a release of a distribution that no advisory of its feed is about is not evaluated', async () => {
  await using app = await feedApp(['Debian:12', 'openssl']);
  const [known, unknown] = ['pkg:deb/debian/curl@1.0-1?distro=debian-12', 'pkg:deb/debian/curl@1.0-1?distro=debian-13'];
  assert.deepEqual([await app.isEvaluated(known), await app.isEvaluated(unknown)], [true, false]);
  assert.deepEqual(await app.coverageOf(known, unknown, 'pkg:deb/debian/openssl@1.0-1?distro=debian-12'), {
    evaluated: 2,
    unknownEcosystem: 1,
    findingCount: 1,
  });
});

test('an advisory without a release covers every release of its distribution', async () => {
  await using app = await feedApp(['AlmaLinux', 'openssl']);
  assert.equal(await app.isEvaluated('pkg:rpm/almalinux/curl@1.0-1?distro=almalinux-9'), true);
});

test('a release is covered as soon as an import brings its first advisory', async () => {
  await using app = await feedApp(['Debian:12', 'openssl']);
  const purl = 'pkg:deb/debian/curl@1.0-1?distro=debian-13';
  assert.equal(await app.isEvaluated(purl), false);
  await importRecords(app.deps, [advisoryAbout('X-9', 'Debian:13', 'openssl')]);
  assert.equal(await app.isEvaluated(purl), true);
});
