import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@landfall/kernel/secrets';
import { fixedClock } from '@landfall/kernel/testing/clock';
import {
  challengeOf,
  localPath,
  newPending,
  openPending,
  pendingCookieName,
  sealPending,
  surplusPending,
} from './pending.ts';

const secrets = createSecrets([Buffer.alloc(32, 7)]);

test('a sign-in under way is found by its state, among others, and by nobody else’s', () => {
  const clock = fixedClock();
  const [one, two] = [newPending('/a', clock), newPending('/b', clock)];
  const cookies = [one, two]
    .map((pending) => `${pendingCookieName(pending.state)}=${sealPending(pending, secrets)}`)
    .join('; ');
  assert.deepEqual(openPending(cookies, two.state, { secrets, clock }), two);
  assert.equal(openPending(cookies, newPending('/', clock).state, { secrets, clock }), undefined);
  assert.equal(openPending(undefined, one.state, { secrets, clock }), undefined);

  const swapped = `${pendingCookieName(one.state)}=${sealPending(two, secrets)}`;
  assert.equal(openPending(swapped, one.state, { secrets, clock }), undefined);
  const foreign = `${pendingCookieName(one.state)}=${sealPending(one, createSecrets([Buffer.alloc(32, 8)]))}`;
  assert.equal(openPending(foreign, one.state, { secrets, clock }), undefined);
});

test('a sign-in that took too long begins again', () => {
  const clock = fixedClock();
  const pending = newPending('/', clock);
  const cookie = `${pendingCookieName(pending.state)}=${sealPending(pending, secrets)}`;
  clock.advance(1_799_000);
  assert.ok(openPending(cookie, pending.state, { secrets, clock }));
  clock.advance(1_000);
  assert.equal(openPending(cookie, pending.state, { secrets, clock }), undefined);
});

test('the challenge is that of RFC 7636, appendix B', () => {
  const pending = { ...newPending('/', fixedClock()), verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' };
  assert.equal(challengeOf(pending), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
});

test('only paths of this site are ways back', () => {
  for (const path of ['/', '/releases/1?x=1#y', '/a//b']) assert.equal(localPath(path), path);
  for (const bad of [
    undefined,
    7,
    '',
    'releases',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    '/x/..//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
  ])
    assert.equal(localPath(bad), '/', String(bad));
});

test('room for one more sign-in is made by removing forged and expired cookies first, then the oldest', () => {
  const clock = fixedClock();
  const begin = () => {
    clock.advance(1_000);
    const pending = newPending('/', clock);
    return { name: pendingCookieName(pending.state), value: sealPending(pending, secrets) };
  };
  const expired = begin();
  clock.advance(1_800_000);
  const alive = Array.from({ length: 9 }, begin);
  const header = [{ name: 'landfall-sign-in-forged', value: 'x' }, ...alive.toReversed(), expired]
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  const removed = surplusPending(header, { secrets, clock });
  assert.deepEqual(
    [...removed].toSorted(),
    ['landfall-sign-in-forged', ...[expired, ...alive.slice(0, 2)].map(({ name }) => name)].toSorted(),
  );
  assert.deepEqual(surplusPending('landfall=x; landfall-signed-out=y', { secrets, clock }), []);
});
