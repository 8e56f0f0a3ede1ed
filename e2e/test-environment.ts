// Test environments to deploy to, below the demo's path: created through the graph, served by the demo's agents.
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { Parse } from 'typebox/value';
import { type Client, clientOf } from './clients.ts';
import { type Credentials, freePorts } from './product.ts';

const answer = Type.Object({ data: Type.Object({ it: Type.Unknown() }) });
const Id = Type.Object({ id: Type.String() });
const Versioned = Type.Object({ id: Type.String(), version: Type.Integer() });
const Ordered = Type.Object({ orderIndex: Type.Integer() });
/** Earlier outcomes of a promotion's digests, which its launch acknowledges. */
const Known = Type.Object({
  release: Type.Object({ outcomes: Type.Array(Type.Object({ asks: Type.Boolean(), deployment: Id })) }),
});
const Job = Type.Object({ id: Type.String(), status: Type.String() });

/** Long enough for a deployment on two busy cores. */
const TIMEOUT_MS = 60_000;

export interface TestEnvironment {
  readonly id: string;
  readonly name: string;
  readonly client: Client;
  /** Repositories of the demo's components, by name. */
  readonly repositories: ReadonlyMap<string, string>;
}

/**
 * Requests one field of the graph.
 * @throws with the response if it has no such field
 */
export const requestField = async <T extends TSchema>(
  client: Client,
  query: string,
  variables: object,
  it: T,
): Promise<Static<T>> => {
  const { body } = await client.graph(query, variables);
  try {
    return Parse(it, Parse(answer, body).data.it);
  } catch {
    throw new Error(JSON.stringify(body));
  }
};

/**
 * Sends a mutation and returns the fields of `it`.
 * @throws with the response if it has none
 */
export const mutate = <T extends TObject>(
  client: Client,
  mutation: string,
  input: object,
  it: T,
): Promise<Static<T>> => {
  const name = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const fields = Object.keys(it.properties).join(' ');
  return requestField(
    client,
    `mutation ($input: ${name}!) { it: ${mutation}(input: $input) { ${fields} } }`,
    { input },
    it,
  );
};

/** Configuration of a target's driver: the port of a process, or the name of a link to files. */
const configOf = (driver: Driver, name: string, port: string) =>
  driver === 'STATIC_SLOT' ? { slot: name } : { port: Number(port), probePath: '/healthz', probeTimeoutSeconds: 30 };

type Driver = 'PROCESS' | 'STATIC_SLOT';

/** Creates an environment that accepts deployments at once, where a process runs on each of `targets` targets. */
export const createTestEnvironment = async (
  credentials: Credentials,
  name: string,
  targets: number,
  driver: Driver = 'PROCESS',
): Promise<TestEnvironment> => {
  const client = await clientOf(credentials, 'operator');
  const Release = Type.Object({
    components: Type.Array(Type.Object({ name: Type.String(), repository: Type.String() })),
  });
  const shop = `query ($id: ID!) { it: release(id: $id) { components { name repository } } }`;
  const { components } = await requestField(client, shop, { id: credentials.ids.releaseId }, Release);
  const [agent] = await requestField(client, '{ it: agents { id } }', {}, Type.Array(Id));
  const path = await requestField(client, '{ it: environments { orderIndex } }', {}, Type.Array(Ordered));
  // The last environment of the path, so that a release needs no earlier landing.
  const orderIndex = Math.min(...path.map((one) => one.orderIndex)) - 1;
  const { id } = await mutate(
    client,
    'createEnvironment',
    { name, orderIndex, stageKind: 'TEST', requiredApprovals: 0 },
    Id,
  );
  for (const [nth, port] of (await freePorts(targets)).entries())
    await mutate(
      client,
      'createTarget',
      {
        environmentId: id,
        name: `${name}-${nth + 1}`,
        driver,
        agentId: agent?.id,
        config: configOf(driver, `${name}-${nth + 1}`, port),
      },
      Id,
    );
  return { id, name, client, repositories: new Map(components.map((one) => [one.name, one.repository])) };
};

/** Creates a release of one component of the shop (`web:1.0.0`), and its promotion to the environment. */
export const makeRelease = async (location: TestEnvironment, semver: string, image: string) => {
  const { client, repositories, name } = location;
  const [component = '', tag] = image.split(':');
  const input = { name, semver, components: [{ name: component, repository: repositories.get(component), tag }] };
  const draft = await mutate(client, 'createRelease', input, Versioned);
  const { id, version } = await mutate(
    client,
    'finalizeRelease',
    { id: draft.id, expectedVersion: draft.version },
    Versioned,
  );
  await mutate(client, 'markReleaseReady', { id, expectedVersion: version }, Id);
  const asked = { releaseId: id, targetEnvironmentId: location.id, reason: 'A test of the page' };
  const promotion = await mutate(client, 'requestPromotion', asked, Id);
  return { id, what: `${name} ${semver}`, promotionId: promotion.id };
};

/**
 * Launches a promotion and waits until the deployment has this state.
 * @returns the deployment's id
 */
export const launchUntil = async (
  { client }: TestEnvironment,
  promotionId: string,
  status: string,
  how: object = { strategy: 'ALL_AT_ONCE' },
): Promise<string> => {
  const known = 'query ($id: ID!) { it: promotion(id: $id) { release { outcomes { asks deployment { id } } } } }';
  const { release } = await requestField(client, known, { id: promotionId }, Known);
  const acknowledgeOutcomes = release.outcomes
    .filter(({ asks: requests }) => requests)
    .map(({ deployment }) => deployment.id);
  const { id } = await mutate(client, 'launchDeployment', { promotionId, acknowledgeOutcomes, ...how }, Id);
  await untilStatus(client, id, status);
  return id;
};

export const untilStatus = async (
  client: Client,
  id: string,
  status: string,
  timeoutMs = TIMEOUT_MS,
): Promise<void> => {
  const query = 'query ($id: ID!) { it: deployment(id: $id) { id status } }';
  const end = performance.now() + timeoutMs;
  let found = '';
  while (performance.now() < end) {
    found = (await requestField(client, query, { id }, Job)).status;
    if (found === status) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`The deployment ${id} is ${found} and not ${status}.`);
};

/** Changes the settings of every target of the environment. */
export const changeTargets = async ({ id, client }: TestEnvironment, env: readonly object[]): Promise<void> => {
  const Found = Type.Array(
    Type.Object({ id: Type.String(), version: Type.Integer(), config: Type.Object({ port: Type.Integer() }) }),
  );
  const query = 'query ($id: ID!) { it: targets(environmentId: $id) { id version config { port } } }';
  for (const { id: target, version, config } of await requestField(client, query, { id }, Found))
    await mutate(
      client,
      'updateTarget',
      {
        id: target,
        expectedVersion: version,
        config: { ...config, probePath: '/healthz', probeTimeoutSeconds: 60, env },
      },
      Id,
    );
};

/** Changes the policy of the environment: timeout, analysis and the rest. */
export const changeEnvironment = async ({ id, client }: TestEnvironment, change: object): Promise<void> => {
  const query = 'query ($id: ID!) { it: environment(id: $id) { id version } }';
  const { version } = await requestField(client, query, { id }, Versioned);
  await mutate(client, 'updateEnvironment', { id, expectedVersion: version, ...change }, Id);
};

/**
 * Adds a metrics server with the Prometheus HTTP API for the environment's gates.
 * @returns its integration's id
 */
export const addMetrics = async ({ client, name }: TestEnvironment, baseUrl: string): Promise<string> =>
  (await mutate(client, 'createIntegration', { kind: 'METRICS', name: `metrics of ${name}`, baseUrl }, Id)).id;
