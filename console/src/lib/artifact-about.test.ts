import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutText, shortId } from './artifact-about.ts';

const ID = '01a21e89-1140-7d97-8f0f-ea6407a3e2b5';

test('a package URL is written as people read it, its digest cut in the middle', () => {
  const hex = `0011aabb${'0'.repeat(52)}ffee`;
  assert.equal(aboutText(`pkg:oci/shop/api@sha256:${hex}`), 'oci/shop/api@0011aabb…ffee');
  assert.equal(aboutText('urn:example:bill'), 'urn:example:bill');
  assert.equal(shortId(ID), '01a21e89…e2b5');
});
