// A deployment to two hundred targets, watched in the console: the longest time for which the page is busy while
// reports arrive, and the number of its requests. Real targets of one real agent (files behind links, so that the page
// is measured and not two hundred processes). A task's length is given by the wall clock, which is long where others
// use the processors, and by its thread's processor time, which is the page's own. Prints figures as `gateway/bench`
// does, which runs this as a program.
import type { Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { launchBrowser } from '../browser.ts';
import { arrive } from '../people.ts';
import { startProduct } from '../product.ts';
import { createTestEnvironment, launchUntil, makeRelease, untilStatus } from '../test-environment.ts';

const TARGETS = 200;
const GOAL_MS = 50;
/** Two hundred targets on two busy cores. */
const TIMEOUT_MS = 300_000;
/** By then the page has fetched the code of the others. */
const SPARE_MS = 4_000;

const report = (metric: string, value: number, unit: string, goal?: object): void => {
  const figure = { bench: 'targets', metric, value: Number(value.toPrecision(4)), unit, ...(goal && { goal }) };
  process.stdout.write(`${JSON.stringify(figure)}\n`);
};

/** Events of a Chromium trace, in microseconds: `dur` by the clock, `tdur` on a core. */
const Trace = Type.Object({
  traceEvents: Type.Array(
    Type.Object({
      name: Type.String(),
      pid: Type.Integer(),
      tid: Type.Integer(),
      dur: Type.Optional(Type.Number()),
      tdur: Type.Optional(Type.Number()),
      args: Type.Optional(Type.Object({ name: Type.Optional(Type.Unknown()) })),
    }),
  ),
});

/** The tasks of the thread that draws the page. */
const tasksOf = (trace: Buffer) => {
  const { traceEvents } = Parse(Trace, JSON.parse(trace.toString()));
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents
    .filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`))
    .map(({ dur = 0, tdur = 0 }) => ({ wallMs: dur / 1000, ownMs: tdur / 1000 }));
};

/** Counts what the page asks of the graph, by operation. */
const countRequests = (page: Page): Map<string, number> => {
  const asked = new Map<string, number>();
  page.on('request', (request) => {
    const name = new URL(request.url()).searchParams.get('op');
    if (name !== null) asked.set(name, (asked.get(name) ?? 0) + 1);
  });
  return asked;
};

await using product = await startProduct();
const { credentials } = product;
const testEnvironment = await createTestEnvironment(
  credentials,
  `many-${Date.now().toString(36)}`,
  TARGETS,
  'STATIC_SLOT',
);
const browser = await launchBrowser();
try {
  const { promotionId } = await makeRelease(testEnvironment, '1.0.0', 'web:1.0.0');
  const how = { strategy: 'ROLLING', params: { batchPercent: 10 } };
  const job = await launchUntil(testEnvironment, promotionId, 'IN_PROGRESS', how);
  const page = await arrive(browser, credentials, 'viewer', { path: `/deployments/${job}` });
  await page.getByRole('grid', { name: 'Targets' }).waitFor();
  await page.waitForTimeout(SPARE_MS);
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', 'toplevel'] });
  const asked = countRequests(page);
  const from = performance.now();
  await untilStatus(testEnvironment.client, job, 'COMPLETED', TIMEOUT_MS);
  const seconds = (performance.now() - from) / 1000;
  await page.getByText(`${TARGETS} verified`, { exact: true }).waitFor();

  const tasks = tasksOf(await browser.stopTracing());
  const steps = 'query ($id: ID!) { deployment(id: $id) { targets { timeline { step } } } }';
  const { body } = await testEnvironment.client.graph(steps, { id: job });
  const TraceEvent = Type.Object({
    data: Type.Object({
      deployment: Type.Object({ targets: Type.Array(Type.Object({ timeline: Type.Array(Type.Unknown()) })) }),
    }),
  });
  const reports = Parse(TraceEvent, body).data.deployment.targets.reduce(
    (sum, { timeline }) => sum + timeline.length,
    0,
  );
  const longest = (of: (task: (typeof tasks)[number]) => number) =>
    tasks.reduce((most, task) => Math.max(most, of(task)), 0);
  report(
    'longest task on the page, on its core',
    longest(({ ownMs }) => ownMs),
    'ms',
    { atMost: GOAL_MS },
  );
  report(
    'longest task on the page, by the clock',
    longest(({ wallMs }) => wallMs),
    'ms',
  );
  report('tasks on the page', tasks.length, 'tasks');
  report('reports of the agent', reports / seconds, 'per s');
  report('questions for the deployment', (asked.get('Deployment') ?? 0) / seconds, 'per s', { atMost: 4 });
} finally {
  await browser.close();
}
