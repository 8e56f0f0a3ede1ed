import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Database } from '@landfall/kernel/db/database';
import { graphql } from 'graphql';
import { createOrchestrator } from '../../index.ts';
import { catalogueApp } from '../../testing/catalogue-app.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const plain = (data: unknown) => JSON.parse(JSON.stringify(data));

const [dev, stage, prod] = [
  await app.seed.environment({ requiredApprovals: 0 }),
  await app.seed.environment({ requiredApprovals: 1 }),
  await app.seed.environment(),
];

const LANDSCAPE = `query ($id: ID!) { release(id: $id) {
  createdBy { __typename id } hold { reason } promotions { id state }
  landscape { environment { id } promotion { id state } isCurrent
    viewerCanRequest { allowed code reason } } } }`;

test('the landscape says for each environment what the release is there and whether it may be asked there', async () => {
  const release = await app.seed.ready();
  await app.force.landing(release, dev);
  const waiting = await app.seed.promotion(release, stage);
  const { data, errors } = await app.graph(LANDSCAPE, { id: release.id });
  assert.equal(errors, undefined);
  const { landscape, createdBy, promotions } = plain(data).release;
  assert.deepEqual(createdBy, { __typename: 'User', id: app.caller('operator').subject });
  assert.deepEqual(
    promotions.map(({ state }: { state: string }) => state),
    ['PENDING', 'DEPLOYED'],
  );
  const allowed = { allowed: true, code: null, reason: null };
  const open = 'An open promotion of this release to this environment is already there.';
  const skipped = `The release has not landed verified in ${stage.name}.`;
  assert.deepEqual(
    landscape.map(({ environment, promotion, ...own }: Record<string, { id: string } | null>) => ({
      environment: environment?.id,
      promotion: promotion?.id === waiting.id ? 'waiting' : promotion && 'landed',
      ...own,
    })),
    [
      { environment: dev.id, promotion: 'landed', isCurrent: true, viewerCanRequest: allowed },
      {
        environment: stage.id,
        promotion: 'waiting',
        isCurrent: false,
        viewerCanRequest: { allowed: false, code: 'PROM_ALREADY_EXISTS', reason: open },
      },
      {
        environment: prod.id,
        promotion: null,
        isCurrent: false,
        viewerCanRequest: { allowed: false, code: 'PROM_SKIP_ENVIRONMENT', reason: skipped },
      },
    ],
  );
});

const POLICIES = `query ($releaseId: ID!, $productId: ID!) {
  release(id: $releaseId) { landscape { requiredApprovals environment { id requiredApprovals separationOfDuties } } }
  product(id: $productId) {
    path { requiredApprovals separationOfDuties requiredEvidence environment { requiredApprovals separationOfDuties } }
    environments { environment { requiredApprovals separationOfDuties } } } }`;

test('the policy of a step stands beside its environment, which answers the same for every product', async () => {
  const operator = app.caller('operator');
  const environmentRow = await app.seed.environment({ requiredApprovals: 1, separationOfDuties: 'off' });
  const { id: productId } = await app.module.products.create(operator, { name: 'strict' });
  await app.module.products.setPath(operator, {
    id: productId,
    expectedVersion: 1,
    steps: [
      {
        environmentId: environmentRow.id,
        policy: { requiredApprovals: 3, separationOfDuties: 'author', requiredEvidence: ['sbom'] },
      },
    ],
  });
  const { id: releaseId } = await app.seed.draft({ name: 'strict' });
  const { data, errors } = await app.graph(POLICIES, { releaseId, productId });
  assert.equal(errors, undefined);
  const { release, product } = plain(data);
  const environment = { requiredApprovals: 1, separationOfDuties: 'OFF' };
  assert.deepEqual(release.landscape, [
    { requiredApprovals: 3, environment: { id: environmentRow.id, ...environment } },
  ]);
  assert.deepEqual(product.environments, [{ environment }]);
  assert.deepEqual(product.path, [
    { requiredApprovals: 3, separationOfDuties: 'AUTHOR', requiredEvidence: ['SBOM'], environment },
  ]);
});

const PERMISSIONS = `query ($id: ID!) { promotion(id: $id) {
  viewerCanApprove { allowed code } viewerCanReject { allowed code } viewerCanCancel { allowed code } } }`;

test('what a viewer can is what the act would answer', async () => {
  const promotion = await app.seed.promotion(await app.seed.ready(), dev);
  await app.force.state(promotion.id, 'pending');
  const permissions = async (as: 'operator' | 'approver' | 'viewer') => {
    const { data, errors } = await app.graph(PERMISSIONS, { id: promotion.id }, { as });
    assert.equal(errors, undefined);
    const { viewerCanApprove, viewerCanReject, viewerCanCancel } = plain(data).promotion;
    return [viewerCanApprove, viewerCanReject, viewerCanCancel].map(({ allowed, code }) => (allowed ? 'yes' : code));
  };
  assert.deepEqual(await permissions('viewer'), ['PERM_SCOPE_DENIED', 'PERM_SCOPE_DENIED', 'PERM_SCOPE_DENIED']);
  assert.deepEqual(await permissions('approver'), ['yes', 'yes', 'yes']);
  await app.force.state(promotion.id, 'deploying');
  assert.deepEqual(await permissions('approver'), ['PROM_NOT_PENDING', 'PROM_NOT_PENDING', 'PROM_DEPLOYING']);
});

test('a fault in the graph has its code, status and details', async () => {
  const promotion = await app.seed.promotion(await app.seed.ready(), dev);
  const { data, errors } = await app.graph(
    'mutation ($input: ApprovePromotionInput!) { approvePromotion(input: $input) { id } }',
    { input: { id: promotion.id, seenGatedDigestSet: promotion.gatedDigestSet } },
    { as: 'approver' },
  );
  assert.equal(data, null);
  assert.deepEqual(errors?.[0]?.extensions, {
    code: 'PROM_ALREADY_APPROVED',
    status: 422,
    category: 'domain',
    details: { state: 'approved' },
    validationErrors: [],
    requestId: 'test',
  });
});

test('references from other modules are loaded, and what is no id or another tenant’s is nothing', async () => {
  const release = await app.seed.draft();
  const query = 'query ($them: [_Any!]!) { _entities(representations: $them) { ... on Release { id semver } } }';
  const them = [release.id, 'no id', prod.id].map((id) => ({ __typename: 'Release', id }));
  const own = await app.graph(query, { them });
  assert.equal(own.errors, undefined);
  assert.deepEqual(plain(own.data)._entities, [{ id: release.id, semver: release.semver }, null, null]);
  const unknown = await app.graph(query, { them }, { as: 'other-tenant' });
  assert.deepEqual(plain(unknown.data)._entities, [null, null, null]);
  const denied = await app.graph(query, { them }, { as: 'nobody' });
  assert.equal(denied.errors?.[0]?.extensions?.code, 'PERM_SCOPE_DENIED');
});

const MANY = `query ($first: Int) { promotions(first: $first) { edges { node {
  requestedBy { id } release { id components { name } } targetEnvironment { id targets { id } } sourceEnvironment { id }
  approvals { actor { id } } viewerCanApprove { allowed } } } } }`;

/** Wraps a database and counts the statements that the loaders of a request issue. */
const counting = (database: Database) => {
  let reads = 0;
  const counted: Database = {
    ...database,
    read: (tenant, use) => {
      reads += 1;
      return database.read(tenant, use);
    },
  };
  return { counted, reads: () => reads };
};

test('a list costs its loaders the same however long it is', async () => {
  for (let created = 0; created < 3; created += 1) await app.seed.promotion(await app.seed.ready(), dev);
  const counter = counting(app.deps.database);
  const { context, schema } = createOrchestrator(
    { ...app.deps, database: counter.counted },
    {
      platformDomain: 'landfall.example',
      agentUrl: 'https://127.0.0.1:4002',
      deploymentLogDays: 30,
      signingKeys: createSigningKeys(app.deps),
    },
  );

  const costOf = async (first: number): Promise<number> => {
    const before = counter.reads();
    const contextValue = context(app.caller('approver'));
    const { data, errors } = await graphql({ schema, source: MANY, variableValues: { first }, contextValue });
    assert.equal(errors, undefined);
    assert.equal(plain(data).promotions.edges.length, first);
    return counter.reads() - before;
  };
  const one = await costOf(1);
  assert.ok(one > 0);
  assert.equal(await costOf(5), one);
});
