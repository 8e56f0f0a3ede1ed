import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIMEOUT_MS } from './authority-client.ts';
import { signedIn } from './session.fixture.ts';
import { REFRESH_LEASE_MS } from './session.ts';

test('who signs out is signed out though the token has expired and the authority is down, and the log says what is left', async () => {
  await using it = await signedIn();
  await assert.rejects(it.sessions.find(it.session.id), { code: 'SYS_SERVICE_UNAVAILABLE' });
  assert.equal((await it.signOut('forged')).statusCode, 403);
  assert.ok(await it.sessions.peek(it.session.id));

  const { statusCode, headers } = await it.signOut(it.session.csrf);
  assert.equal(statusCode, 204);
  assert.equal(await it.sessions.peek(it.session.id), undefined);
  const [logged, ...rest] = it.lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => /could not be revoked/.test(msg));
  assert.deepEqual(rest, []);
  const { level, tenant, subject, correlationId, err } = logged;
  assert.deepEqual([level, tenant, subject, correlationId], ['error', 'acme', 'ann', headers['x-svc-correlation-id']]);
  assert.match(err.stack, /ECONNREFUSED/);
});

test('after it the browser is led to the authority with the ID token of that session, and back', async () => {
  await using it = await signedIn();
  const { headers } = await it.signOut(it.session.csrf);
  const idTokenHint = [headers['set-cookie']].flat().find((line) => line?.startsWith('landfall-signed-out='));
  assert.doesNotMatch(idTokenHint ?? '', /an\.id\.token/);
  const cookie = idTokenHint?.split(';')[0] ?? '';
  const query = (location: unknown) => Object.fromEntries(new URL(String(location)).searchParams);
  const led = await it.app.inject({ url: '/session/signed-out', headers: { cookie } });
  assert.deepEqual(query(led.headers.location), {
    id_token_hint: 'an.id.token',
    post_logout_redirect_uri: 'http://console.test/',
  });
  for (const other of ['', 'landfall-signed-out=forged']) {
    const without = await it.app.inject({ url: '/session/signed-out', headers: { cookie: other } });
    assert.equal(query(without.headers.location).id_token_hint, undefined);
  }
});

test('Back to the address of a sign-in leads who has signed out to the console, without its code', async () => {
  await using it = await signedIn();
  const { headers } = await it.signOut(it.session.csrf);
  const cookie = [headers['set-cookie']].flat().find((line) => line?.startsWith('landfall-signed-out=')) ?? '';
  const back = await it.app.inject({ url: '/session/callback?code=old&state=gone', headers: { cookie } });
  assert.deepEqual([back.statusCode, back.headers.location], [303, '/']);
  assert.equal(back.headers['cache-control'], 'no-store');
});

test('an authority that accepts and says nothing is given up on while the lease of the refresh still holds', async () => {
  await using it = await signedIn({ isSilent: true });
  await assert.rejects(it.authority.refresh(it.tokens), { code: 'SYS_SERVICE_UNAVAILABLE' });
  assert.ok(TIMEOUT_MS < REFRESH_LEASE_MS);
});
