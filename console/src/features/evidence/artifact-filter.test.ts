import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artifactFilter } from './artifact-filter.ts';

const HEX = 'ab'.repeat(32);

test('a digest is found with and without its algorithm, in any case', () => {
  const wanted = { subjectDigest: `sha256:${HEX}` };
  for (const text of [HEX, `sha256:${HEX}`, HEX.toUpperCase()]) assert.deepEqual(artifactFilter(text), wanted);
});

test('another text is the reference of what an artifact is about', () => {
  const reference = `pkg:oci/shop@sha256:${HEX}`;
  assert.deepEqual(artifactFilter(reference), { bomRef: reference });
  assert.deepEqual(artifactFilter(HEX.slice(1)), { bomRef: HEX.slice(1) });
  assert.deepEqual(artifactFilter(undefined), {});
});
