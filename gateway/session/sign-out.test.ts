import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { createEdge } from '@landfall/kernel/edge';
import { createKeys } from '@landfall/kernel/keys';
import { createLog } from '@landfall/kernel/log';
import { createSessions, REFRESH_LEASE_MS } from '@landfall/kernel/session';
import { createTelemetry } from '@landfall/kernel/telemetry';
import { testDeps } from '@landfall/kernel/testing/app';
import { createListener } from '../listener.ts';
import { createAuthorityClient, PATIENCE_MS } from './authority-client.ts';
import { consoleClient } from './console-client.ts';
import { registerSession } from './routes.ts';

const issuer = 'http://authority.test';

/** The session's routes while nobody is where the authority should be, or somebody who accepts and says nothing. */
const signedIn = async ({ isSilent = false } = {}) => {
  await using stack = new AsyncDisposableStack();
  const { deps, clock } = stack.use(await testDeps());
  const { database, secrets, ids, http } = deps;
  const sockets = createServer();
  await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve));
  const address = sockets.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const close = () => new Promise((resolve) => sockets.close(resolve));
  if (isSilent) stack.defer(() => void close());
  else await close();

  const lines: string[] = [];
  const log = createLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  const keys = createKeys(async () => [], { clock });
  const client = consoleClient(secrets, 'http://console.test');
  const options = { http, clock, keys, client, issuer, origin, newCorrelationId: ids.uuid };
  const authority = createAuthorityClient({ ...options, ...(isSilent && { patienceMs: 50 }) });
  const { refresh } = authority;
  const hour = 3_600_000;
  const sessions = createSessions({ database, secrets, clock, refresh, sessionMs: 24 * hour, sessionIdleMs: hour });
  const edge = createEdge({ issuer, audience: 'landfall', keys, clock, isRevoked: async () => false });
  const telemetry = createTelemetry(log);
  stack.defer(telemetry.close);
  const app = createListener({ ids, clock, log, meter: telemetry.meter('http') });
  stack.defer(() => app.close());
  await registerSession(app, { edge, sessions, authority, client, clock, secrets, log, issuer, isSecure: false });
  const tokens = { accessToken: 'a', accessExpiresAt: 0, refreshToken: 'r', idToken: 'an.id.token', name: 'Ann' };
  const session = await sessions.start({ tenant: 'acme', subject: 'ann' }, tokens);
  const kept = stack.move();
  return {
    app,
    lines,
    session,
    sessions,
    authority,
    tokens,
    signOut: (csrf: string) =>
      app.inject({
        method: 'POST',
        url: '/session/sign-out',
        headers: { cookie: `landfall=${session.id}`, 'x-landfall-csrf': csrf },
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
};

test('who signs out is signed out though the token has expired and the authority is down, and the log says what is left', async () => {
  await using it = await signedIn();
  await assert.rejects(it.sessions.find(it.session.id), { code: 'SYS_SERVICE_UNAVAILABLE' });
  assert.equal((await it.signOut('forged')).statusCode, 403);
  assert.ok(await it.sessions.look(it.session.id));

  const { statusCode, headers } = await it.signOut(it.session.csrf);
  assert.equal(statusCode, 204);
  assert.equal(await it.sessions.look(it.session.id), undefined);
  const [told, ...more] = it.lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => /could not be revoked/.test(msg));
  assert.deepEqual(more, []);
  const { level, tenant, subject, correlationId, err } = told;
  assert.deepEqual([level, tenant, subject, correlationId], ['error', 'acme', 'ann', headers['x-svc-correlation-id']]);
  assert.match(err.stack, /ECONNREFUSED/);
});

test('after it the browser is led to the authority with the ID token of that session, and back', async () => {
  await using it = await signedIn();
  const { headers } = await it.signOut(it.session.csrf);
  const farewell = [headers['set-cookie']].flat().find((line) => line?.startsWith('landfall-signed-out='));
  assert.doesNotMatch(farewell ?? '', /an\.id\.token/);
  const cookie = farewell?.split(';')[0] ?? '';
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
  assert.ok(PATIENCE_MS < REFRESH_LEASE_MS);
});
