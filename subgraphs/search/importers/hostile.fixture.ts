import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importText } from '../testing/import-text.ts';

/** As many as fit a file that comes through the graph. What is not linear in them takes minutes to hours. */
const MAX = 900_000;
const guarded = { timeout: 60_000 } as const;

const repeated = (share: number, piece: string, begin = '', end = ''): string =>
  begin + piece.repeat(Math.floor((MAX / share - begin.length - end.length) / piece.length)) + end;

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

/** Defines tests of large hostile files: of the full size, or of a `share`th of it. */
export const testHostileFiles = (share: number): void => {
  test('a list of nothing but broken entries is told entry by entry, each by its line', guarded, async () => {
    const entries = 50_000 / share;
    const lists = ['vulnerabilities', 'statements', 'packages'] as const;
    const heads = {
      vulnerabilities: '"catalogVersion":"1"',
      statements: '"@context":"https://openvex.dev/ns"',
      packages: '"spdxVersion":"SPDX-2.3"',
    };
    for (const list of lists) {
      const { refusals, chunks } = await importText(
        'x.json',
        `{${heads[list]},"${list}":[${'{},\n'.repeat(entries)}{}]}`,
      );
      assert.equal(chunks.length, 0);
      assert.equal(refusals.length, entries + 1);
      assert.deepEqual(
        [0, 1, 7, entries].map((index) => refusals[index]?.line),
        [1, 2, 8, entries + 1],
      );
    }
  });

  test('a Rego module of nothing but annotations, and annotations without an end', guarded, async () => {
    const annotated = repeated(share, '# METADATA\n# title: x\n', 'package a\n');
    const { chunks } = await importText('x.rego', annotated);
    assert.equal(chunks[0]?.title, 'x');
    const endless = await importText('x.rego', repeated(share, '# - {a: b}\n', 'package a\n# METADATA\n'));
    assert.equal(endless.chunks[0]?.title, 'a');
  });

  test('a YAML map of many keys, and one with a key twice, of which the last one counts', guarded, async () => {
    const keys = Array.from({ length: 50_000 / share }, (_, i) => `    k${i}: v`).join('\n');
    const policy = `apiVersion: kyverno.io/v1\nkind: Policy\nmetadata:\n  name: a\n  labels:\n${keys}\n`;
    assert.equal((await importText('x.yaml', policy)).chunks.length, 1);
    const { chunks, refusals } = await importText('x.yaml', `${policy}    k7: again\n---\n${policy}`);
    assert.deepEqual([chunks.length, refusals], [2, []]);
  });

  test('statements that share many products, and advisories with many references', guarded, async () => {
    const products = Array.from({ length: 15_000 / share }, (_, i) => `{"@id":"pkg:npm/p${i}@1"}`).join(',');
    const statements = Array.from(
      { length: 8_000 / share },
      (_, i) => `{"vulnerability":"CVE-2026-${10_000 + i}","status":"fixed"}`,
    );
    const vex = `{"@context":"https://openvex.dev/ns","@id":"x","products":[${products}],"statements":[${statements}]}`;
    assert.equal((await importText('x.json', vex)).chunks.length, 8_000 / share);
    const vulnerabilities = Array.from({ length: 12_000 / share }, (_, i) => `{"cve":"CVE-2026-${10_000 + i}"}`);
    const references = '{"a":1},'.repeat(40_000 / share);
    const csaf = `{"document":{"csaf_version":"2.0","tracking":{"id":"x"},"references":[${references}{}]},"vulnerabilities":[${vulnerabilities}]}`;
    assert.equal((await importText('x.json', csaf)).chunks.length, 12_000 / share);
  });

  test('what nests deeper than a stack is refused or passed over, and the rest is imported', guarded, async () => {
    const deep = nested(30_000, '{"@id":"p","subcomponents":[', ']}');
    const statement = (products: string) =>
      `{"vulnerability":"CVE-2026-1111","status":"fixed","products":[${products}]}`;
    const vex = `{"@context":"https://openvex.dev/ns","@id":"x","statements":[${statement(deep)},${statement('"q"')}]}`;
    const read = await importText('x.json', vex);
    assert.deepEqual([read.chunks.length, read.refusals], [2, []]);
    const constraint = (parameters: string) =>
      `{"apiVersion":"constraints.gatekeeper.sh/v1","kind":"K","metadata":{"name":"n${parameters.length}"},"spec":{"parameters":${parameters}}}`;
    const lines = [constraint(nested(100_000, '[', ']')), constraint('{}')].join('\n');
    const other = await importText('x.json', lines);
    assert.deepEqual([other.chunks.length, other.refusals], [2, []]);
    const yaml = await importText('x.yaml', `kind: Policy\napiVersion: ${nested(50_000, '[', ']')}\n`);
    assert.equal(yaml.refusals.length, 1);
  });

  test('a cell of twenty megabytes is read, one that never ends is refused by its line', guarded, async () => {
    const long = 'a""b'.repeat(5_000_000 / share);
    const csv = `cveID,notes\nCVE-2026-0001,"${long}"\nCVE-2026-0002,short\n`;
    const { chunks, refusals } = await importText('x.csv', csv);
    assert.deepEqual(
      [chunks.map(({ documentKey }) => documentKey), refusals],
      [['CVE-2026-0001', 'CVE-2026-0002'], []],
    );
    const open = await importText('x.csv', `cveID,notes\nCVE-2026-0001,"${'\n""'.repeat(100_000 / share)}`);
    assert.equal(open.refusals[0]?.line, 2);
  });

  test('a line of many megabytes that comes in small pieces', guarded, async () => {
    const { refusals } = await importText(
      'x.ndjson',
      `{"id":"A-1","modified":"x"}\n{"id":"${'x'.repeat(30_000_000 / share)}"}\n`,
      {
        size: 4_096,
        format: 'osv',
      },
    );
    assert.match(refusals[0]?.reason ?? '', new RegExp(`has ${30_000_000 / share} characters`));
  });
};
