import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endedCookie, readSessionCookie, sessionCookie } from './session-cookie.ts';

const id = 'a'.repeat(43);

test('under TLS the cookie is bound to the host, and never readable by scripts', () => {
  assert.equal(
    sessionCookie(id, { isSecure: true, maxAgeSeconds: 60 }),
    `__Host-landfall=${id}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure`,
  );
  assert.equal(
    sessionCookie(id, { isSecure: false, maxAgeSeconds: 60 }),
    `landfall=${id}; Path=/; Max-Age=60; HttpOnly; SameSite=Lax`,
  );
  assert.match(endedCookie(true), /^__Host-landfall=; .*Max-Age=0/);
});

test('the id is found among other cookies, under the right name only', () => {
  assert.equal(readSessionCookie(`a=b; landfall=${id};c=d`, false), id);
  assert.equal(readSessionCookie(`__Host-landfall=${id}`, true), id);
  assert.equal(readSessionCookie(`landfall=${id}`, true), undefined);
  assert.equal(readSessionCookie(`xlandfall=${id}`, false), undefined);
  assert.equal(readSessionCookie(undefined, false), undefined);
});

test('a cookie that stands twice, or is no id of ours, is none', () => {
  assert.equal(readSessionCookie(`landfall=${id}; landfall=${'b'.repeat(43)}`, false), undefined);
  for (const value of ['', 'short', `${id}a`, `${'a'.repeat(42)}"`, `${'a'.repeat(42)}%`])
    assert.equal(readSessionCookie(`landfall=${value}`, false), undefined, value);
});
