import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sbom } from '../sbom/sbom.ts';
import { runAtOnce } from '../shared/steps.ts';
import { componentsOf } from './components.ts';

/** Bill whose components depend on each other in a row, the first one directly on the subject. */
const chainOf = (length: number): Sbom => ({
  format: 'cyclonedx',
  specVersion: '1.5',
  encoding: 'json',
  serialNumber: null,
  subject: null,
  components: Array.from({ length }, (_, n) => ({
    ref: `c${n}`,
    group: null,
    name: `c${n}`,
    version: '1.0.0',
    purl: null,
    type: 'library',
    scope: null,
    hashes: [],
    isDirect: n === 0,
  })),
  dependencies: new Map(Array.from({ length: length - 1 }, (_, n) => [`c${n}`, [`c${n + 1}`]])),
});

test('the path to a component leads from a direct dependency, each step to the next', () => {
  const components = runAtOnce(componentsOf(chainOf(4)));
  assert.deepEqual(
    components.map(({ path }) => path),
    [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]],
  );
});

test('a row of 100 000 components costs no path for each: memory and time stay in proportion to the bill', () => {
  const components = runAtOnce(componentsOf(chainOf(100_000)));
  assert.equal(components.length, 100_000);
  assert.equal(components[99]?.path.length, 100);
});

test('a component behind a longer row than any real bill has is listed without a path', () => {
  const components = runAtOnce(componentsOf(chainOf(100_000)));
  assert.deepEqual(components.at(-1)?.path, []);
});
