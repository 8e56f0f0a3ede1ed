import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programs } from '@landfall/attestation/archive/archive.fixture';
import { flipInFiles, flipInTar } from './verification.fixture.ts';

test('a flipped bit in any file is found by sh and by Python', programs, async () => {
  assert.equal(await flipInFiles(/./), 8);
});

test('a flipped bit at any byte of the tar file is found by the own verifier', () => flipInTar(1));
