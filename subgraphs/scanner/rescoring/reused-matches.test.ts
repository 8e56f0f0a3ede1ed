import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rescoreApp } from '../testing/rescore-app.ts';

/** Digest of an image of its own, so that the same bill is another scan. */
const image = (at: number): string => `sha256:${String(at).padStart(64, '0')}`;

const READS_BILL = 'scanner.documents.findPart';

/** Advisory that is informational unless its vulnerability is exploited. */
const unsound = {
  affected: [
    {
      package: { ecosystem: 'npm', name: 'gate' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
      database_specific: { informational: 'unsound' },
    },
  ],
};

const TWO = 'CVE-2026-2000';

test('a scan that is rescored by EPSS and KEV has the bytes of one that is matched anew, and its bill is not read', async () => {
  await using app = await rescoreApp();
  await app.advise('GHSA-2c2c-3f3f-4g4g', 'gate', { aliases: [TWO, 'CVE-2026-2001'], ...unsound });
  await app.advise('MAL-2026-1', 'gate');
  const rescored = await app.scan('wall', image(0));
  const changes = [
    () => app.epss('0.9'),
    () => app.kev(TWO),
    () => app.epss('0.25', 'CVE-2026-2001'),
    () => app.kev('CVE-2026-1000', 'CVE-2026-9999'),
    () => app.epss('0.125', TWO),
    () => app.kev(),
  ];
  for (const [at, change] of changes.entries()) {
    await change();
    app.statements.length = 0;
    assert.equal(await app.module.rescoreScans(), at + 1, `change ${at}`);
    assert.ok(!app.statements.includes(READS_BILL), `change ${at}`);
    const anew = await app.scan('wall', image(at + 1));
    const [first, second] = [await app.replay(rescored), await app.replay(anew)];
    assert.equal(first.canonicalInputPayload, second.canonicalInputPayload, `change ${at}`);
    assert.equal((await app.get(rescored)).scorePpm, (await app.get(anew)).scorePpm, `change ${at}`);
  }
});

test('a bill is read again when anything else changed too, a feed of another ecosystem as well', async () => {
  await using app = await rescoreApp();
  const scanId = await app.scan();
  const readsBill = async () => {
    app.statements.length = 0;
    assert.equal(await app.module.rescoreScans(), 1);
    return app.statements.includes(READS_BILL);
  };
  await app.epss('0.5');
  assert.equal(await readsBill(), false);
  const affected = [{ package: { ecosystem: 'PyPI', name: 'gate' }, versions: ['1.1.0'] }];
  // It gives the finding of npm another name, and by itself is no change that concerns the scan.
  await app.advise('PYSEC-2026-1', 'gate', { affected, aliases: ['CVE-2026-1000', 'CVE-2025-1'] });
  await app.epss('0.75');
  assert.equal(await readsBill(), true);
  await app.advise(TWO);
  assert.equal(await readsBill(), true);
  await app.kev('CVE-2026-1000');
  assert.equal(await readsBill(), false);
  assert.equal((await app.history(scanId)).length, 5);
});
