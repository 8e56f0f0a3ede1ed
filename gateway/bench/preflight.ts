// Reads of one tenant while another asks for preflights of images at a registry that hangs: sixteen aliases in one request
// and twenty-four requests beside it, again and again.
import { buildApp } from '@landfall/kernel/testing/oci-app';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import Type from 'typebox';
import { startEmpty } from './empty-product.ts';
import { createReport } from './figure.ts';
import { quantile } from './statistics.ts';

const ALIASES = 16;
const REQUESTS = 24;
const MEASURE_MS = 20_000;

const Id = Type.Object({ id: Type.String() });
const Versioned = Type.Object({ id: Type.String(), version: Type.Number() });

await using registry = await startRegistry();
await using product = await startEmpty();
const { baseUrl, visitor: consoleUser } = product;
const other = await product.visitorOf('globex');

const integration = { kind: 'REGISTRY', name: 'Bench registry', baseUrl: registry.origin };
await consoleUser.act('createIntegration', integration, 'id', Id);
registry.push('bench/web', buildApp({ version: '1.0.0' }), '1.0.0');
const components = [{ name: 'web', repository: registry.repository('bench/web'), tag: '1.0.0' }];
const draft = await consoleUser.act(
  'createRelease',
  { name: 'bench', semver: '1.0.0', components },
  'id version',
  Versioned,
);
await consoleUser.act('finalizeRelease', { id: draft.id, expectedVersion: draft.version }, 'id', Id);

using _fault = registry.fault({ kind: 'hang', match: '/manifests/' });
const aliases = Array.from(
  { length: ALIASES },
  (_, index) => `a${index}: preflight(releaseId: "${draft.id}") { checks { status } }`,
);
const headers = { authorization: `Bearer ${consoleUser.token}`, 'content-type': 'application/json' };
const requests = [
  () =>
    fetch(`${baseUrl}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: `{ ${aliases.join(' ')} }` }),
    }),
  ...Array.from(
    { length: REQUESTS },
    () => () => fetch(`${baseUrl}/api/v1/release-orchestrator/releases/${draft.id}/deploy-preflight`, { headers }),
  ),
];

const end = performance.now() + MEASURE_MS;
const requestRepeatedly = async (ask: () => Promise<Response>): Promise<number> => {
  let refused = 0;
  while (performance.now() < end) {
    const response = await ask();
    const text = await response.text();
    if (response.status !== 200 || text.includes('"errors"')) refused += 1;
  }
  return refused;
};
const storm = Promise.all(requests.map(requestRepeatedly));

const times: number[] = [];
while (performance.now() < end) {
  const began = performance.now();
  const response = await fetch(`${baseUrl}/api/v1/release-orchestrator/releases`, {
    headers: { authorization: `Bearer ${other.token}` },
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`the other tenant was answered ${response.status}`);
  times.push(performance.now() - began);
}
const refused = (await storm).reduce((sum, each) => sum + each, 0);

const { tell } = createReport('preflight');
tell('another tenant’s read during 40 preflights at once, p99', quantile(times, 0.99), 'ms', { atMost: 500 });
tell('the same, p50', quantile(times, 0.5), 'ms');
tell('preflights that were answered with anything but a report', refused, 'requests', { atMost: 0 });
