import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { fixedClock } from '@landfall/kernel/testing/clock';
import {
  challengeOf,
  chooseSlot,
  listOrphanedPending,
  localPath,
  MAX_PENDING,
  newPending,
  openPending,
  pendingCookieName,
  sealPending,
} from './pending-sign-in.ts';

const secrets = createSecrets([Buffer.alloc(32, 7)]);

test('a sign-in under way is found by its state, among others, and by nobody else’s', () => {
  const clock = fixedClock();
  const [one, two] = [newPending('/a', 0, clock), newPending('/b', 7, clock)];
  const cookies = [one, two]
    .map((pending) => `${pendingCookieName(pending.state)}=${sealPending(pending, secrets)}`)
    .join('; ');
  assert.deepEqual(openPending(cookies, two.state, { secrets, clock }), two);
  assert.equal(openPending(cookies, newPending('/', 0, clock).state, { secrets, clock }), undefined);
  assert.equal(openPending(undefined, one.state, { secrets, clock }), undefined);

  const swapped = `${pendingCookieName(one.state)}=${sealPending(two, secrets)}`;
  assert.equal(openPending(swapped, one.state, { secrets, clock }), undefined);
  const other = `${pendingCookieName(one.state)}=${sealPending(one, createSecrets([Buffer.alloc(32, 8)]))}`;
  assert.equal(openPending(other, one.state, { secrets, clock }), undefined);
});

test('a sign-in that took too long begins again', () => {
  const clock = fixedClock();
  const pending = newPending('/', 0, clock);
  const cookie = `${pendingCookieName(pending.state)}=${sealPending(pending, secrets)}`;
  clock.advance(1_799_000);
  assert.ok(openPending(cookie, pending.state, { secrets, clock }));
  clock.advance(1_000);
  assert.equal(openPending(cookie, pending.state, { secrets, clock }), undefined);
});

test('the challenge is that of RFC 7636, appendix B', () => {
  const pending = { ...newPending('/', 0, fixedClock()), verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' };
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

test('one more sign-in takes a cookie that is empty, forged or expired, else the oldest', () => {
  const clock = fixedClock();
  const begin = (slot: number): string => {
    clock.advance(1_000);
    const { state } = newPending('/', slot, clock);
    return `${pendingCookieName(state)}=${sealPending(newPending('/', slot, clock), secrets)}`;
  };
  const selected = (cookies: readonly string[]): readonly number[] => [
    ...new Set(
      Array.from({ length: 2 * MAX_PENDING }, (_, turn) => chooseSlot(cookies.join('; '), turn, { secrets, clock })),
    ),
  ];
  assert.deepEqual(selected([]), [0, 1, 2, 3, 4, 5, 6, 7]);
  const expired = begin(5);
  clock.advance(1_800_000);
  const alive = [3, 0, 7, 1, 4, 6].map(begin);
  assert.deepEqual(selected(alive), [2, 5]);
  assert.deepEqual(selected([...alive, expired, 'landfall-sign-in-2=forged']), [2, 5]);
  assert.deepEqual(selected([...alive.toReversed(), begin(5), begin(2)]), [3]);
});

test('sign-in cookies of other names are removed, and no others', () => {
  const cookies =
    'landfall=x; landfall-sign-in-0=y; landfall-sign-in-8=y; landfall-sign-in-AbCd_-=z; landfall-signed-out=y';
  assert.deepEqual(listOrphanedPending(cookies), ['landfall-sign-in-8', 'landfall-sign-in-AbCd_-']);
});

test('a cookie stays below 1.1 kB, however long the way back is and whatever is in it', () => {
  const clock = fixedClock();
  for (const back of [
    `/${'x'.repeat(497)}`,
    `/${'x'.repeat(5_000)}`,
    `/?${'\\'.repeat(247)}`,
    `/?${'\\'.repeat(499)}`,
  ]) {
    const { state } = newPending(back, 7, clock);
    const cookie = `${pendingCookieName(state)}=${sealPending(newPending(back, 7, clock), secrets)}`;
    assert.ok(cookie.length < 1_100, `${back.length}: ${cookie.length}`);
  }
});
