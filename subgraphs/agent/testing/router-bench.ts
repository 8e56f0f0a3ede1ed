// Cost of the router for a request: the same program asked directly and by way of the router, each a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, Agent as KeepingAgent, request } from 'node:http';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { createMetrics } from '../router/metrics.ts';
import { openRouter } from '../router/router.ts';

const ROUNDS = 7;
const REQUESTS = 2_000;
const CONCURRENCY = 16;

const report = (metric: string, value: number, unit: string): void =>
  void process.stdout.write(
    `${JSON.stringify({ bench: 'router', metric, value: Number(value.toPrecision(4)), unit })}\n`,
  );

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

const serve = async (): Promise<void> => {
  const server = createServer((_request, response) => response.end('x'.repeat(1_000))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : 0);
};

const route = async (port: number): Promise<void> => {
  const router = await openRouter(0, { target: 'bench', component: 'web', metrics: createMetrics() });
  const current = { port, digest: sha256('bench') };
  router.route({ component: 'web', current, candidate: undefined, weight: 0 });
  process.send?.(router.port);
};

const ask = (agent: KeepingAgent, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const startedMs = performance.now();
    request({ host: '127.0.0.1', port, agent }, (answer) =>
      answer.resume().once('end', () => resolve(performance.now() - startedMs)),
    )
      .once('error', reject)
      .end();
  });

/**
 * Measures the router with `atOnce` parallel requests.
 * @returns median latency in ms, and requests a second
 */
const round = async (port: number, atOnce: number) => {
  const agent = new KeepingAgent({ keepAlive: true, maxSockets: atOnce });
  const times: number[] = [];
  let remaining = REQUESTS;
  const startedMs = performance.now();
  const worker = async (): Promise<void> => {
    while (remaining-- > 0) times.push(await ask(agent, port));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const perSecond = (REQUESTS / (performance.now() - startedMs)) * 1_000;
  agent.destroy();
  return { ms: median(times), perSecond };
};

const measure = async (): Promise<void> => {
  const children = new Set<ReturnType<typeof fork>>();
  const start = async (...args: readonly string[]): Promise<number> => {
    const child = fork(import.meta.filename, args);
    children.add(child);
    return Number((await once(child, 'message'))[0]);
  };
  const direct = await start('serve');
  const routed = await start('route', String(direct));
  const alone: Record<'direct' | 'routed', number[]> = { direct: [], routed: [] };
  const many: Record<'direct' | 'routed', number[]> = { direct: [], routed: [] };
  for (let i = 0; i <= ROUNDS; i++)
    for (const [name, port] of [
      ['direct', direct],
      ['routed', routed],
    ] as const) {
      const [single, parallel] = [await round(port, 1), await round(port, CONCURRENCY)];
      if (i === 0) continue;
      alone[name].push(single.ms);
      many[name].push(parallel.perSecond);
    }
  report('a request directly', median(alone.direct), 'ms');
  report('a request by the router', median(alone.routed), 'ms');
  report(`directly, ${CONCURRENCY} at once`, median(many.direct), 'requests/s');
  report(`by the router, ${CONCURRENCY} at once`, median(many.routed), 'requests/s');
  for (const child of children) child.kill();
};

const [role, port] = process.argv.slice(2);
if (role === 'serve') await serve();
else if (role === 'route') await route(Number(port));
else await measure();
