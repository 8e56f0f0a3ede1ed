import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import { hashPassword, verifyPassword } from './passwords.ts';

test('a password fits its own hash and no other', async () => {
  const encoded = await hashPassword('correct horse battery staple');
  assert.match(encoded, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.equal(await verifyPassword('correct horse battery staple', encoded), true);
  assert.equal(await verifyPassword('correct horse battery stapl', encoded), false);
  assert.notEqual(await hashPassword('correct horse battery staple'), encoded);
});

test('one password has one meaning in both Unicode forms', async () => {
  assert.equal(await verifyPassword('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait')), true);
});

test('a hash keeps its own cost, so that a later cost does not lock people out', async () => {
  // A test vector of the reference implementation (phc-winner-argon2, src/test.c).
  const encoded = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  assert.equal(await verifyPassword('password', encoded), true);
  assert.equal(await verifyPassword('passwore', encoded), false);
});

test('nobody’s password is never right, and saying so takes a hash too', async () => {
  let hashes = 0;
  const hook = createHook({
    init: (_id, type) => {
      if (type === 'ARGON2REQUEST') hashes += 1;
    },
  }).enable();
  assert.equal(await verifyPassword('', undefined), false);
  assert.equal(await verifyPassword('anything', undefined), false);
  hook.disable();
  assert.equal(hashes, 2);
});

test('a crowd waits its turn, and beyond what may wait is told to come again', async () => {
  // A cheap hash: the test counts turns of the event loop.
  const encoded = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  const parallel = await Promise.allSettled(Array.from({ length: 300 }, () => verifyPassword('password', encoded)));
  const right = parallel.filter((one) => one.status === 'fulfilled' && one.value);
  const refused = parallel.filter(
    (one) => one.status === 'rejected' && one.reason instanceof Fault && one.reason.code === 'SYS_OVERLOADED',
  );
  assert.ok(right.length > 200 && right.length < 204, String(right.length));
  assert.equal(right.length + refused.length, 300);
  assert.equal(await verifyPassword('password', encoded), true);
});
