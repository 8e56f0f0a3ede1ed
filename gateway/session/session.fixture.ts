import { createServer } from 'node:net';
import { createEdge } from '@landfall/kernel/identity/edge';
import { createKeys } from '@landfall/kernel/identity/keys';
import { createLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { testDeps } from '@landfall/kernel/testing/app';
import { createListener } from '../http/listener.ts';
import { createAuthorityClient } from './authority-client.ts';
import { consoleClient } from './console-client.ts';
import { registerSession } from './routes.ts';
import { createSessions } from './session.ts';

const issuer = 'http://authority.test';

/** Serves the session's routes with an authority that refuses connections or, if silent, never answers. */
export const signedIn = async ({ isSilent: timeoutError = false } = {}) => {
  await using stack = new AsyncDisposableStack();
  const { deps, clock } = stack.use(await testDeps());
  const { database, secrets, ids, http } = deps;
  const sockets = createServer();
  await new Promise<void>((resolve) => sockets.listen(0, '127.0.0.1', resolve));
  const address = sockets.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const close = () => new Promise((resolve) => sockets.close(resolve));
  if (timeoutError) stack.defer(() => void close());
  else await close();

  const lines: string[] = [];
  const log = createLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  const keys = createKeys(async () => [], { clock });
  const client = consoleClient(secrets, 'http://console.test');
  const options = { http, clock, keys, client, issuer, origin, newCorrelationId: ids.uuid };
  const authority = createAuthorityClient({ ...options, ...(timeoutError && { patienceMs: 50 }) });
  const { refresh } = authority;
  const nextHour = 3_600_000;
  const sessions = createSessions({
    database,
    secrets,
    clock,
    refresh,
    sessionMs: 24 * nextHour,
    sessionIdleMs: nextHour,
  });
  const edge = createEdge({ issuer, audience: 'landfall', keys, clock, isRevoked: async () => false });
  const telemetry = createTelemetry(log);
  stack.defer(telemetry.close);
  const app = createListener({ ids, clock, log, meter: telemetry.meter('http') });
  stack.defer(() => app.close());
  await registerSession(app, { edge, sessions, authority, client, clock, secrets, log, issuer, isSecure: false });
  const tokens = { accessToken: 'a', accessExpiresAt: 0, refreshToken: 'r', idToken: 'an.id.token', name: 'Ann' };
  const session = await sessions.start({ tenant: 'acme', subject: 'ann' }, tokens);
  const resources = stack.move();
  return {
    app,
    clock,
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
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
