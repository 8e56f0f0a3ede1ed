// A silent black hole between the product and its PostgreSQL: connections stand, bytes are swallowed. Every route is asked
// again and again, before, during and after.
import { setTimeout as pause } from 'node:timers/promises';
import { startEmpty } from './empty-product.ts';
import { createReport } from './figure.ts';
import { median } from './statistics.ts';

const BLACK_HOLE_MS = 10_000;
const BETWEEN_MS = 250;
const PATIENCE_MS = 120_000;

interface Answer {
  readonly status: number;
  readonly ms: number;
}

await using product = await startEmpty({ isProxied: true });
const { baseUrl, authUrl, visitor, proxy } = product;
if (!proxy) throw new TypeError('the product was to be started behind a proxy');
const client = await product.register({
  name: 'caller',
  grants: ['client_credentials'],
  scopes: ['release:read', 'orch:read'],
});
const bearer = { authorization: `Bearer ${visitor.token}` };
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
const ill = Object.keys(routes).filter((_, at) => before[at] && !isWell(before[at]));
if (ill.length > 0) throw new Error(`${ill.join(', ')} answered no 200 before the black hole`);

proxy.fail({ kind: 'black-hole' });
const asked: Promise<Answer>[] = [];
for (const end = performance.now() + BLACK_HOLE_MS; performance.now() < end; await pause(BETWEEN_MS))
  asked.push(...Object.values(routes).map(ask));
proxy.fail();

const repairedAt = performance.now();
const back = await Promise.all(
  Object.values(routes).map(async (route) => {
    while (!isWell(await ask(route))) {
      if (performance.now() - repairedAt > PATIENCE_MS) throw new Error('the product did not come back');
      await pause(50);
    }
    return performance.now() - repairedAt;
  }),
);
const answers = await Promise.all(asked);

const { tell } = createReport('outage');
const times = answers.map(({ ms }) => ms / 1_000);
tell('worst answer during a black hole of 10 s before PostgreSQL', Math.max(...times), 's', { atMost: 6 });
tell('median answer during it', median(times), 's');
tell('end of the black hole to all routes back', Math.max(...back) / 1_000, 's', { atMost: 5 });
