import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { demoBanner, refusalBanner } from './banner.ts';

test('once the demo is told, its block says by itself where to go, as whom, and where the passwords are', () => {
  const text = demoBanner({ isFirst: true, credentialsFile: 'data/credentials.json' }, { baseUrl: 'http://here:4000' });
  assert.match(text, /^\n {2}The demo is ready\n\n {2}Open +http:\/\/here:4000\/\n {2}Sign in +as rosa, /);
  assert.ok(text.endsWith(`  Passwords    ${resolve('data/credentials.json')}\n\n`));
});

test('a refused start is one line with its causes; the stack is for who asks for it', () => {
  const error = new Error('migration x failed', { cause: new Error('relation "y"\n  is there') });
  assert.equal(refusalBanner(error, false), 'Landfall did not start. migration x failed: relation "y" is there\n');
  assert.match(refusalBanner(error, true), /\n {4}at /);
});
