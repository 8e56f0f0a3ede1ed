import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';
import { clientOf } from './clients.ts';
import { type Product, startProduct } from './product.ts';

const REST = '/api/v1/release-orchestrator';

let product: Product;
before(async () => {
  product = await startProduct();
});
after(() => product[Symbol.asyncDispose]());

const text = Type.String();
const nullable = Type.Union([text, Type.Null()]);
const DEPLOYMENT = `query ($id: ID!) {
  deployment(id: $id) {
    id status landingVerification failureReason version createdAt startedAt completedAt
    release { id } promotion { id } environment { id }
    failureAnatomy { stage category reason plainReason detail action actionPath retryable }
    targets { name landing { verdict gatedDigest manifestDigest observedDigest } }
  }
}`;

const reference = Type.Object({ id: text });
const landing = Type.Object({ verdict: text, gatedDigest: text, manifestDigest: nullable, observedDigest: nullable });
const graphDeployment = Type.Object({
  id: text,
  status: text,
  landingVerification: nullable,
  failureReason: nullable,
  failureAnatomy: Type.Unknown(),
  version: Type.Integer(),
  createdAt: text,
  startedAt: nullable,
  completedAt: nullable,
  release: reference,
  promotion: reference,
  environment: reference,
  targets: Type.Array(Type.Object({ name: text, landing: Type.Union([landing, Type.Null()]) })),
});

/** The graph writes IN_PROGRESS where the specification's wire writes InProgress. */
const wireWord = (word: string): string =>
  word.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());

/** REST body of a deployment, made from its description in the graph. */
const wireOf = ({ release, promotion, environment, targets, ...deployment }: Static<typeof graphDeployment>) => ({
  ...deployment,
  status: wireWord(deployment.status),
  landingVerification: deployment.landingVerification?.toLowerCase() ?? null,
  releaseId: release.id,
  promotionId: promotion.id,
  environmentId: environment.id,
  targets: targets.map(({ name, landing }) => ({
    name,
    landing: landing && { ...landing, verdict: landing.verdict.toLowerCase() },
  })),
});

// spec: 4.9/deployments, 2.10/anatomy-places, 2.10/anatomy-legacy-strings, 2.10/anatomy-null
for (const which of ['deploymentId', 'failedDeploymentId'] as const) {
  test(`the REST path and the graph tell the same of ${which}`, async () => {
    const operator = await clientOf(product.credentials, 'operator');
    const id = product.credentials.ids[which] ?? '';
    const { body } = await operator.graph(DEPLOYMENT, { id });
    const { data } = Parse(Type.Object({ data: Type.Object({ deployment: graphDeployment }) }), body);
    const rest = await operator.get(`${REST}/deployments/${id}`);
    assert.equal(rest.status, 200);
    assert.partialDeepStrictEqual(rest.body, wireOf(data.deployment));
    const { failureReason, failureAnatomy, targets } = Object(rest.body);
    assert.equal(failureReason, failureAnatomy?.plainReason ?? null);
    for (const { error, failureAnatomy: cause } of targets) assert.equal(error, cause?.plainReason ?? null);
    assert.equal(failureReason !== null, which === 'failedDeploymentId');
  });
}

// spec: 4.9/release
test('every released component is on the REST path with the digest that the graph gates', async () => {
  const operator = await clientOf(product.credentials, 'operator');
  const id = product.credentials.ids.releaseId ?? '';
  const query = 'query ($id: ID!) { release(id: $id) { gatedDigestSet components { name digest } } }';
  const { body } = await operator.graph(query, { id });
  const { release } = Parse(
    Type.Object({
      data: Type.Object({
        release: Type.Object({
          gatedDigestSet: text,
          components: Type.Array(Type.Object({ name: text, digest: text })),
        }),
      }),
    }),
    body,
  ).data;

  const rest = await operator.get(`${REST}/releases/${id}`);
  assert.partialDeepStrictEqual(rest.body, { ...release, name: 'shop', semver: '1.0.0' });
  assert.match(release.gatedDigestSet, /^sha256:[0-9a-f]{64}$/);
});

// spec: 4.9/deploy-preflight, 4.9/deploy-plan
test('preflight and plan answer for the release that waits', async () => {
  const operator = await clientOf(product.credentials, 'operator');
  const { waitingReleaseId, environmentId } = product.credentials.ids;
  const at = `${REST}/releases/${waitingReleaseId}`;
  const preflight = await operator.get(`${at}/deploy-preflight?environmentId=${environmentId}`);
  assert.equal(preflight.status, 200);
  assert.partialDeepStrictEqual(preflight.body, { releaseId: waitingReleaseId, environment: 'staging', armed: true });
  const plan = await operator.get(`${at}/deploy-plan?strategy=all_at_once&environmentId=${environmentId}`);
  assert.equal(plan.status, 200);
  assert.partialDeepStrictEqual(plan.body, { strategy: 'all_at_once', targetCount: 1 });
});

// spec: 5/spoofed-headers, 5/signed-identity
test('headers that claim to be somebody change nothing', async () => {
  const viewer = await clientOf(product.credentials, 'viewer');
  const claims = {
    'x-user-id': 'ana',
    'x-tenant-id': 'globex',
    'x-scopes': 'orch:admin authority:admin',
    'x-landfall-tenant': 'globex',
    'x-landfall-scopes': 'orch:admin',
    'x-svc-actor': 'ana',
    'x-svc-tenant': 'globex',
    'x-landfall-envelope': 'eyJ0ZW5hbnQiOiJnbG9iZXgifQ',
  };
  const { releaseId, otherTenantReleaseId } = product.credentials.ids;
  const me = '{ me { tenant scopes } }';
  assert.deepEqual(await viewer.graph(me, {}, claims), await viewer.graph(me));
  assert.equal((await viewer.get(`${REST}/releases/${releaseId}`, claims)).status, 200);
  assert.equal((await viewer.get(`${REST}/releases/${otherTenantReleaseId}`, claims)).status, 404);
  const made = await viewer.graph(
    'mutation { createEnvironment(input: {name: "mine", orderIndex: 99, stageKind: DEV}) { id } }',
    {},
    claims,
  );
  assert.partialDeepStrictEqual(made.body, { errors: [{ extensions: { code: 'PERM_SCOPE_DENIED' } }] });
});

test('no tenant finds what belongs to another, through either door', async () => {
  const { releaseId, deploymentId, otherTenantReleaseId } = product.credentials.ids;
  const operator = await clientOf(product.credentials, 'operator');
  const other = await clientOf(product.credentials, 'other-tenant');

  assert.equal((await other.get(`${REST}/deployments/${deploymentId}`)).status, 404);
  assert.equal((await other.get(`${REST}/releases/${otherTenantReleaseId}`)).status, 200);
  for (const [client, id] of [
    [operator, otherTenantReleaseId],
    [other, releaseId],
  ] as const) {
    assert.partialDeepStrictEqual((await client.get(`${REST}/releases/${id}`)).body, {
      success: false,
      error: { code: 'RES_RELEASE_NOT_FOUND' },
    });
    const { body } = await client.graph('query ($id: ID!) { release(id: $id) { id } }', { id });
    assert.partialDeepStrictEqual(body, { data: { release: null } });
  }
});

test('a token may hold less than its client, and is then refused the rest', async () => {
  const narrow = await clientOf(product.credentials, 'operator', 'findings:read');
  const { status, body } = await narrow.get(`${REST}/releases`);
  assert.equal(status, 403);
  assert.partialDeepStrictEqual(body, { success: false, error: { code: 'PERM_SCOPE_DENIED' } });
});

test('without a token nothing is told', async () => {
  const { baseUrl, ids } = product.credentials;
  const response = await fetch(`${baseUrl}${REST}/deployments/${ids.deploymentId}`);
  assert.equal(response.status, 401);
  assert.partialDeepStrictEqual(await response.json(), { success: false, error: { code: 'AUTH_TOKEN_MISSING' } });
});

/** The commands of README.md below a heading. */
const commandsOf = (readme: string, heading: string): string =>
  /```sh\n([^`]*)```/.exec(readme.slice(readme.indexOf(heading)))?.[1] ?? '';

test('the commands of README.md say what it promises', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  const script = ['### REST', '### GraphQL']
    .map((heading) => commandsOf(readme, heading))
    .join('\necho\n')
    .replaceAll('.landfall/credentials.json', join(product.dataDir, 'credentials.json'));
  const { stdout } = await promisify(execFile)('bash', ['-euc', script], {
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  });
  const [rest = '', graph = ''] = stdout.trim().split('\n');
  assert.partialDeepStrictEqual(JSON.parse(rest), { status: 'Failed', failureAnatomy: { stage: 'health-probe' } });
  assert.partialDeepStrictEqual(JSON.parse(graph), {
    data: { today: { failed: [{ release: { name: 'shop' }, failureAnatomy: { category: 'HealthCheckFailed' } }] } },
  });
});
