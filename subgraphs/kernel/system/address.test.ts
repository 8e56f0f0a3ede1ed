import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLoopback } from './address.ts';

test('this machine is loopback in every spelling', () => {
  for (const host of ['localhost', 'a.localhost', '127.0.0.1', '127.9.8.7', '::1', '[::1]', '::ffff:127.0.0.1'])
    assert.equal(isLoopback(host), true, host);
});

test('what listens to or reaches others is not', () => {
  for (const host of [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'example.com',
    'localhost.example.com',
    '128.0.0.1',
    '',
    'xlocalhost',
  ])
    assert.equal(isLoopback(host), false, host);
});
