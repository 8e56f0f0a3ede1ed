import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../core/fault.ts';
import { digestHex, isDigest, parseDigest, sha256, sha256Bytes, sha256Hex } from './digest.ts';

const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

test('a digest is the FIPS 180-4 hash of the bytes', () => {
  assert.equal(sha256('abc'), `sha256:${abc}`);
  assert.equal(sha256Hex(Buffer.from('abc')), abc);
  assert.equal(sha256Bytes('abc').toString('hex'), abc);
  assert.equal(sha256Hex(), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

test('parts hash as their concatenation', () => {
  assert.equal(sha256('a', Buffer.from('b'), 'c'), sha256('abc'));
});

// spec: 1/hashes
test('only the lower-case sha256 spelling is a digest', () => {
  assert.equal(isDigest(`sha256:${abc}`), true);
  for (const other of [abc, `SHA256:${abc}`, `sha256:${abc.toUpperCase()}`, `sha256:${abc}0`, `sha256:${abc}\n`, '', 7])
    assert.equal(isDigest(other), false, String(other));
});

test('parsing refuses anything else with the code for digests', () => {
  const digest = parseDigest(`sha256:${abc}`);
  assert.equal(digestHex(digest), abc);
  assert.throws(
    () => parseDigest('sha512:00'),
    (error) => error instanceof Fault && error.code === 'VAL_INVALID_DIGEST',
  );
});
