import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canRegisterPasskey } from './passkey.ts';

test('a passkey is made on the page only where the host is the authority’s, has a name and is secure', () => {
  const url = 'https://landfall.example:4001/account';
  assert.equal(canRegisterPasskey(url, { hostname: 'landfall.example' }, true), true);
  assert.equal(canRegisterPasskey(url, { hostname: 'console.example' }, true), false);
  assert.equal(canRegisterPasskey(url, { hostname: 'landfall.example' }, false), false);
  assert.equal(canRegisterPasskey('http://127.0.0.1:4001/account', { hostname: '127.0.0.1' }, true), false);
  assert.equal(canRegisterPasskey('http://[::1]:4001/account', { hostname: '[::1]' }, true), false);
});
