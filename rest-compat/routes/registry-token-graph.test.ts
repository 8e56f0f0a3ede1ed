import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { registryApp } from '@landfall/registry-token/testing/app';
import { registryTokenRoutes } from './registry-token.ts';

const app = await registryApp(registryTokenRoutes, {
  REGISTRY_TOKEN_DEFAULTPLAN: 'basic',
  REGISTRY_TOKEN_REVOKEDLICENSES: 'L-1, L-2',
});
after(() => app[Symbol.asyncDispose]());

const TOKENS = `query ($outcome: RegistryTokenOutcome, $repository: String, $subject: String, $first: Int, $after: Cursor) {
  registryTokens(outcome: $outcome, repository: $repository, subject: $subject, first: $first, after: $after) {
    edges { node { outcome subject by { id } service scopes access { name actions } plan license sender jti expiresAt error reason } }
    pageInfo { hasNextPage endCursor } } }`;

test('administrators see what was issued and refused in their tenant, the newest first, by outcome and repository', async () => {
  const sub = 'someone';
  await app.ask({ scope: 'repository:acme/app:pull,push', accessToken: app.bound({ sub }) });
  await app.ask({ scope: 'repository:other/app:pull', accessToken: app.bound({ sub, 'svc:license': 'L-2' }) });
  await app.ask({ scope: 'repository:acme/app:pull', accessToken: app.bound({ 'svc:tenant': 'globex' }) });
  const { data, errors } = await app.graph(TOKENS);
  assert.equal(errors, undefined);
  const [refused, issued, ...rest] = Object(data).registryTokens.edges.map(({ node }: { node: unknown }) =>
    Object(node),
  );
  assert.equal(rest.length, 0);
  assert.deepEqual(
    [refused.outcome, refused.error, refused.jti, refused.license],
    ['REFUSED', 'insufficient_scope', null, 'L-2'],
  );
  assert.deepEqual([issued.outcome, issued.sender, issued.plan], ['ISSUED', 'DPOP', 'pro']);
  assert.equal(issued.by.id, sub);
  assert.equal(issued.access[0].name, 'acme/app');
  const count = async (variables: Record<string, unknown>) =>
    Object((await app.graph(TOKENS, 'operator', variables)).data).registryTokens.edges.length;
  assert.equal(await count({ outcome: 'ISSUED' }), 1);
  assert.equal(await count({ repository: 'other/' }), 1);
  assert.equal(await count({ repository: '%' }), 0);
  assert.equal(await count({ subject: 'nobody' }), 0);
  const page = Object((await app.graph(TOKENS, 'operator', { first: 1 })).data).registryTokens;
  assert.equal(page.pageInfo.hasNextPage, true);
  assert.equal(await count({ first: 1, after: page.pageInfo.endCursor }), 1);
  assert.equal((await app.graph(TOKENS, 'viewer')).errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
});

test('the simulator says what the realm would, and anybody may ask about themselves', async () => {
  const query = `query ($input: SimulateRegistryAccessInput!) { simulateRegistryAccess(input: $input) {
    allowed status error reason plan access { name actions } scopes { scope allowed coveredBy missing reason } } }`;
  const simulate = async (input: Record<string, unknown>, as: 'operator' | 'viewer' = 'operator') => {
    const { data, errors } = await app.graph(query, as, { input });
    return errors ? { code: errors[0]?.extensions?.code } : Object(data).simulateRegistryAccess;
  };
  for (const scope of ['repository:acme/app:push', 'repository:other/app:pull', 'nonsense', '']) {
    const answer = await app.ask({ scope });
    const { status, error, reason } = await simulate({ scope, plan: 'pro' });
    assert.deepEqual([status, error ?? undefined], [answer.status, answer.body.error], scope);
    if (status !== 200) assert.equal(reason, answer.body.detail);
  }
  const { scopes, plan } = await simulate({ scope: 'repository:acme/app:pull,push' }, 'viewer');
  assert.deepEqual([plan, scopes[0].missing], ['basic', ['push']]);
  assert.equal((await simulate({ scope: '', license: 'L-1' })).reason, 'The licence L-1 was revoked.');
  assert.equal((await simulate({ scope: '', plan: 'pro' }, 'viewer')).code, 'PERM_SCOPE_DENIED');
});

test('plans are listed with their rules, and what signs with what registries must be told', async () => {
  const { data } = await app.graph(`{ registryPlans { name isDefault repositories { pattern actions } }
    registrySigning { issuer realm rootCertificates keyId leafExpiresAt lifetimeSeconds revokedLicenses configuration } }`);
  const { registryPlans, registrySigning } = JSON.parse(JSON.stringify(data));
  assert.deepEqual(registryPlans[0], {
    name: 'basic',
    isDefault: true,
    repositories: [{ pattern: 'acme/*', actions: ['pull'] }],
  });
  assert.ok(new X509Certificate(registrySigning.rootCertificates).ca);
  assert.match(
    registrySigning.configuration,
    /^auth:\n {2}token:\n {4}realm: "http:.*\n.*\n {4}issuer: "http:\/\/platform.example"\n/,
  );
  // Only licences that the tenant's own tokens carried.
  assert.deepEqual(registrySigning.revokedLicenses, ['L-2']);
});

test('rows are kept for thirty days', async () => {
  await app.clock.advance(31 * 86_400_000);
  await app.module.housekeeping.run();
  const { data } = await app.graph(TOKENS);
  assert.deepEqual(Object(data).registryTokens.edges, []);
});
