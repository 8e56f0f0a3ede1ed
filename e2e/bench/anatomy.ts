// Report to pixel: time from the moment the server receives an agent's report of a failure to the frame in which a
// viewer reads the cause on the deployment's page. Prints figures as `gateway/bench` does, which runs this as a
// program.
import Type, { type Static, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { launchBrowser } from '../browser.ts';
import { arrive } from '../people.ts';
import { startProduct } from '../product.ts';
import { createTestEnvironment, makeRelease, type TestEnvironment } from '../test-environment.ts';
import { millisecondsReporter, quantile, shownAt } from './pixel.ts';

const FAILURES = 20;
/** The first ones warm the page and do not count. */
const WARM_UP = 3;
const GOAL_MS = 500;
/** Long enough for the page to be open and at rest before the probe gives up. */
const PROBE_SECONDS = 5;
/** First sentence of the anatomy of a failed health check. */
const WORDS = 'The new version started but never passed its health check.';

const answer = Type.Object({ data: Type.Object({ it: Type.Unknown() }) });
const Id = Type.Object({ id: Type.String() });
const Targets = Type.Array(
  Type.Object({ id: Type.String(), version: Type.Integer(), config: Type.Object({ port: Type.Integer() }) }),
);
const Reports = Type.Object({
  status: Type.String(),
  targets: Type.Array(Type.Object({ timeline: Type.Array(Type.Object({ step: Type.String(), at: Type.String() })) })),
});

const ask = async <T extends TSchema>(
  { client }: TestEnvironment,
  query: string,
  variables: object,
  it: T,
): Promise<Static<T>> => {
  const { body } = await client.graph(query, variables);
  return Parse(it, Parse(answer, body).data.it);
};

/** An interface that is given a payment key of a form that it does not know answers 500 (the demo's api 1.1.0). */
const makeUnhealthy = async (testEnvironment: TestEnvironment): Promise<void> => {
  const find = 'query ($id: ID!) { it: targets(environmentId: $id) { id version config { port } } }';
  const change = 'mutation ($input: UpdateTargetInput!) { it: updateTarget(input: $input) { id } }';
  for (const { id, version, config } of await ask(testEnvironment, find, { id: testEnvironment.id }, Targets)) {
    const env = [{ name: 'PAYMENT_KEY', value: 'pk1_bench' }];
    const targetConfig = { ...config, probePath: '/healthz', probeTimeoutSeconds: PROBE_SECONDS, env };
    await ask(testEnvironment, change, { input: { id, expectedVersion: version, config: targetConfig } }, Id);
  }
};

const launch = async (testEnvironment: TestEnvironment, releaseId: string): Promise<string> => {
  const request = 'mutation ($input: RequestPromotionInput!) { it: requestPromotion(input: $input) { id } }';
  const asked = { releaseId, targetEnvironmentId: testEnvironment.id, reason: 'To be measured' };
  const { id: promotionId } = await ask(testEnvironment, request, { input: asked }, Id);
  return start(testEnvironment, promotionId);
};

const start = async (testEnvironment: TestEnvironment, promotionId: string): Promise<string> => {
  const mutation = 'mutation ($input: LaunchDeploymentInput!) { it: launchDeployment(input: $input) { id } }';
  return (await ask(testEnvironment, mutation, { input: { promotionId } }, Id)).id;
};

/** Time at which the server began to record the agent's last report, by the clock of this machine. */
const reportedAt = async (testEnvironment: TestEnvironment, id: string): Promise<number> => {
  const query = 'query ($id: ID!) { it: deployment(id: $id) { status targets { timeline { step at } } } }';
  const { status, targets } = await ask(testEnvironment, query, { id }, Reports);
  const failed = targets.flatMap(({ timeline }) => timeline).findLast(({ step }) => step === 'failed');
  if (status !== 'FAILED' || !failed) throw new Error(`the deployment ${id} is ${status}`);
  return Date.parse(failed.at);
};

await using product = await startProduct();
const { credentials } = product;
const browser = await launchBrowser();
try {
  const testEnvironment = await createTestEnvironment(credentials, `anatomy-${Date.now().toString(36)}`, 1);
  await makeUnhealthy(testEnvironment);
  const release = await makeRelease(testEnvironment, '1.1.0', 'api:1.1.0');
  const page = await arrive(browser, credentials, 'viewer');
  const times: number[] = [];
  for (let nth = 0; nth < WARM_UP + FAILURES; nth++) {
    const id =
      nth === 0 ? await start(testEnvironment, release.promotionId) : await launch(testEnvironment, release.id);
    await page.goto(`${credentials.baseUrl}/deployments/${id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const seen = Parse(Type.Number(), await page.evaluate(shownAt(WORDS)));
    times.push(seen - (await reportedAt(testEnvironment, id)));
  }
  const counted = times.slice(WARM_UP);
  const report = millisecondsReporter('anatomy');
  report('report of a failure to its reason on the page, p95', quantile(counted, 0.95), GOAL_MS);
  report('report of a failure to its reason on the page, p50', quantile(counted, 0.5));
} finally {
  await browser.close();
}
