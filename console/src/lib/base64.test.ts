import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64Of, bytesOf } from './base64.ts';

test('every byte goes through base64 and back', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  assert.equal(base64Of(bytes), Buffer.from(bytes).toString('base64'));
  assert.deepEqual(bytesOf(base64Of(bytes)), bytes);
});
