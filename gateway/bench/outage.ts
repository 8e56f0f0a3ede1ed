// Availability while the connection between the product and its PostgreSQL drops all bytes silently without closing.
// Requests every route repeatedly before, during and after.
import { setTimeout as pause } from 'node:timers/promises';
import { startEmpty } from './empty-product.ts';
import { createReport } from './figure.ts';
import { median } from './statistics.ts';

const PACKET_LOSS_MS = 10_000;
const BETWEEN_MS = 250;
const TIMEOUT_MS = 120_000;

interface Answer {
  readonly status: number;
  readonly ms: number;
}

await using product = await startEmpty({ isProxied: true });
const { baseUrl, authUrl, visitor: consoleUser, proxy } = product;
if (!proxy) throw new TypeError('the product was to be started behind a proxy');
const client = await product.register({
  name: 'caller',
  grants: ['client_credentials'],
  scopes: ['release:read', 'orch:read'],
});
const bearer = { authorization: `Bearer ${consoleUser.token}` };
const REST = `${baseUrl}/api/v1/release-orchestrator`;

const routes: Readonly<Record<string, () => Promise<Response>>> = {
  '/readyz': () => fetch(`${baseUrl}/readyz`),
  '/graphql': () =>
    fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers: { ...bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ releases { edges { node { id } } } }' }),
    }),
  '/releases': () => fetch(`${REST}/releases`, { headers: bearer }),
  '/estate/status': () => fetch(`${REST}/estate/status`, { headers: bearer }),
  '/token': () =>
    fetch(`${authUrl}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.client.id}:${client.secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    }),
  '/jwks': () => fetch(`${authUrl}/jwks`),
};

const ask = async (route: () => Promise<Response>): Promise<Answer> => {
  const began = performance.now();
  const response = await route();
  const text = await response.text();
  // The graph says in its body what other routes say by their status.
  const status = response.status === 200 && /"code":"SYS_/.test(text) ? 500 : response.status;
  return { status, ms: performance.now() - began };
};

const isWell = ({ status }: Answer): boolean => status === 200;

const before = await Promise.all(Object.values(routes).map(ask));
const unhealthy = Object.keys(routes).filter((_, index) => before[index] && !isWell(before[index]));
if (unhealthy.length > 0) throw new Error(`${unhealthy.join(', ')} answered no 200 before the black hole`);

proxy.fail({ kind: 'black-hole' });
const requests: Promise<Answer>[] = [];
for (const end = performance.now() + PACKET_LOSS_MS; performance.now() < end; await pause(BETWEEN_MS))
  requests.push(...Object.values(routes).map(ask));
proxy.fail();

const repairedAt = performance.now();
const back = await Promise.all(
  Object.values(routes).map(async (route) => {
    while (!isWell(await ask(route))) {
      if (performance.now() - repairedAt > TIMEOUT_MS) throw new Error('the product did not come back');
      await pause(50);
    }
    return performance.now() - repairedAt;
  }),
);
const answers = await Promise.all(requests);

const { tell } = createReport('outage');
const times = answers.map(({ ms }) => ms / 1_000);
tell('worst answer during a black hole of 10 s before PostgreSQL', Math.max(...times), 's', { atMost: 6 });
tell('median answer during it', median(times), 's');
tell('end of the black hole to all routes back', Math.max(...back) / 1_000, 's', { atMost: 5 });
