// Fairness between tenants: four callers of one tenant send the most expensive operations that are accepted, without a
// pause, and operations that are refused; measures how long a read of another tenant takes meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { type Bearer, bearer } from '../testing/people.ts';
import { startProduct } from '../testing/start.ts';
import { createReport } from './figure.ts';
import { quantile } from './statistics.ts';

const CALLERS = 4;
const ROUND_MS = 15_000;
/** Number of list items that a request may ask for. */
const OPERATION_COUNT = 15;
const REFUSED = 30;

const searches = (count: number): string =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: search(input: { q: "denial of service ${index}" }) { cards { title summary } }`).join(' ')} }`;

await using product = await startProduct('all-in-one');

const ask = async ({ headers }: Bearer, query: string): Promise<Response> =>
  fetch(`${product.baseUrl}/graphql`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });

const other = await bearer(product, 'globex');
const read = async (): Promise<number> => {
  const startedMs = performance.now();
  const response = await fetch(`${product.baseUrl}/api/v1/release-orchestrator/releases`, { headers: other.headers });
  await response.text();
  if (response.status !== 200) throw new Error(`a read was answered ${response.status}`);
  return performance.now() - startedMs;
};

const reads = async (until: number): Promise<number[]> => {
  const times: number[] = [];
  while (performance.now() < until) {
    times.push(await read());
    await pause(5);
  }
  return times;
};

const statuses = new Map<number, number>();
const press = async (from: Bearer, until: number): Promise<void> => {
  for (let index = 0; performance.now() < until; index += 1) {
    const response = await ask(from, searches(index % 5 === 4 ? REFUSED : OPERATION_COUNT));
    await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    // A client that ignores Retry-After is answered at once, without work for the server; the pause spares this process.
    if (response.status === 429) await pause(20);
  }
};

const { tell } = createReport('cost');
const count = (status: number): number => statuses.get(status) ?? 0;

await reads(performance.now() + 2_000);
const alone = await reads(performance.now() + 5_000);
tell('read of a tenant alone, P99', quantile(alone, 0.99), 'ms');

const pressing = await Promise.all(Array.from({ length: CALLERS }, () => bearer(product, 'acme')));
const until = performance.now() + ROUND_MS;
const [times] = await Promise.all([reads(until), ...pressing.map((each) => press(each, until))]);
tell(
  `read while ${CALLERS} callers of another tenant send ${OPERATION_COUNT} searches at once, P50`,
  quantile(times, 0.5),
  'ms',
);
tell(
  `read while ${CALLERS} callers of another tenant send ${OPERATION_COUNT} searches at once, P99`,
  quantile(times, 0.99),
  'ms',
  {
    atMost: 500,
  },
);
tell('their operations that were answered', count(200), 'operations');
tell('their operations that were too dear', count(400), 'operations');
tell('their operations beyond their budget', count(429), 'operations');
