import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constantTimeEqual, createSecrets } from './secrets.ts';

const old = Buffer.alloc(32, 1);
const fresh = Buffer.alloc(32, 2);

test('a sealed secret opens under its own tenant and name only', () => {
  const secrets = createSecrets([old]);
  const sealed = secrets.seal('acme', 'registry/password', 'hunter2');
  assert.equal(secrets.open('acme', 'registry/password', sealed).toString(), 'hunter2');
  assert.throws(() => secrets.open('globex', 'registry/password', sealed));
  assert.throws(() => secrets.open('acme', 'registry/passwor', sealed));
  assert.throws(() => secrets.open('acmer', 'egistry/password', sealed));
});

test('every altered byte is noticed, and so is a cut', () => {
  const secrets = createSecrets([old]);
  const sealed = secrets.seal('acme', 'n', 'plain');
  for (let index = 0; index < sealed.length; index++) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
    assert.throws(() => secrets.open('acme', 'n', altered), `byte ${index}`);
    assert.throws(() => secrets.open('acme', 'n', sealed.subarray(0, index)), `cut at ${index}`);
  }
});

test('sealing the same secret twice gives different bytes, without the plaintext in them', () => {
  const secrets = createSecrets([old]);
  const [one, two] = [secrets.seal('acme', 'n', 'plaintext'), secrets.seal('acme', 'n', 'plaintext')];
  assert.notDeepEqual(one, two);
  assert.equal(one.includes('plaintext'), false);
});

test('after a rotation the old secrets open and new ones need the new key', () => {
  const before = createSecrets([old]);
  const after = createSecrets([fresh, old]);
  assert.equal(after.open('acme', 'n', before.seal('acme', 'n', 'v')).toString(), 'v');
  assert.throws(() => before.open('acme', 'n', after.seal('acme', 'n', 'v')), /not configured/);
});

test('derived keys differ by purpose and by root key, and repeat', () => {
  const secrets = createSecrets([fresh, old]);
  assert.equal(secrets.derive('a').length, 32);
  assert.deepEqual(secrets.derive('a'), createSecrets([fresh]).derive('a'));
  assert.notDeepEqual(secrets.derive('a'), secrets.derive('b'));
  assert.deepEqual(secrets.deriveAll('a'), [secrets.derive('a'), createSecrets([old]).derive('a')]);
});

test('constant-time comparison agrees with equality, lengths included', () => {
  assert.equal(constantTimeEqual('same', Buffer.from('same')), true);
  assert.equal(constantTimeEqual('same', 'sane'), false);
  assert.equal(constantTimeEqual('same', 'same '), false);
  assert.equal(constantTimeEqual('', ''), true);
});
