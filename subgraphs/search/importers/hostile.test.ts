import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importText } from '../testing/import-text.ts';
import { testHostileFiles } from './hostile.fixture.ts';

// The full run reads them in their full size.
testHostileFiles(10);

test('the line of a broken entry is its own, whatever surrounds its list', async () => {
  const content = `{
  "vulnerabilities": ["of another list"],
  "catalogVersion": "1", "x": {"vulnerabilities": [{}, {}]},
  "vulnerabilities": [
    {"cveID": "CVE-2026-0001", "notes": "a, [b], {c}"}, {"cveID": "no"},

    {"y": [1, {"z": []}]}
  ]
}`;
  const { chunks, refusals } = await importText('x.json', content);
  assert.equal(chunks.length, 1);
  assert.deepEqual(
    refusals.map(({ line }) => line),
    [5, 7],
  );
});

test('annotations end where the next ones begin', async () => {
  const { chunks } = await importText(
    'x.rego',
    '# METADATA\n# title: One\n# METADATA\n# title: Two\npackage a\n# title: None\n',
  );
  assert.deepEqual([chunks[0]?.title, chunks[0]?.body], ['One', 'Two.']);
});

test('names longer than an index takes are refused, or left out where there are others', async () => {
  const long = 'é'.repeat(600);
  const bill = {
    bomFormat: 'CycloneDX',
    components: [
      { name: 'a', 'bom-ref': long },
      { name: 'b', cpe: long },
    ],
  };
  const { refusals, chunks } = await importText('x.json', JSON.stringify(bill));
  assert.match(refusals[0]?.reason ?? '', /name has 6\d\d characters/);
  assert.equal(chunks.length, 1);
});

test('words that every object of the language knows are words like others', async () => {
  for (const word of ['constructor', '__proto__', 'toString']) {
    const bill = {
      bomFormat: 'CycloneDX',
      components: [{ name: 'a', purl: `pkg:${word}/a@1` }],
      vulnerabilities: [
        {
          id: 'CVE-2026-1111',
          analysis: { state: word },
          ratings: [{ severity: word, vector: `CVSS:3.1/AV:${word}/S:${word}/PR:${word}` }],
        },
      ],
    };
    const { chunks, refusals } = await importText('x.json', JSON.stringify(bill));
    assert.deepEqual(refusals, []);
    assert.deepEqual(
      chunks.map(({ domain, severity }) => [domain, severity]),
      [
        ['scanner', undefined],
        ['findings', undefined],
      ],
    );
    assert.ok(chunks.every(({ ecosystem }) => ecosystem === undefined || typeof ecosystem === 'string'));
  }
});
