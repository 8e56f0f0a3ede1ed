import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Assignment } from '@landfall/agent/protocol/messages';
import { exampleId } from '@landfall/kernel/core/ids';
import type { Environment } from '../catalogue/environments/environments.store.ts';
import type { Release } from '../catalogue/releases/releases.store.ts';
import { imageOf, refusal } from '../testing/catalogue-app.ts';
import {
  type DeployingApp,
  deployingApp,
  failedAt,
  landedAt,
  leased,
  type TestAgent,
} from '../testing/deploying-app.ts';

let app: DeployingApp;
let agent: TestAgent;
before(async () => {
  app = await deployingApp();
  agent = await app.register();
});
after(() => app[Symbol.asyncDispose]());

let count = 0;

const component = (name: string, tag: string, content = `${name}:${tag}`) => {
  app.registry.push(`shop/${name}`, imageOf(content), tag);
  return { name, repository: app.registry.repository(`shop/${name}`), tag };
};

const draftOf = (components: readonly object[], name = 'shop'): Promise<Release> => {
  count += 1;
  return app.module.releases.create(app.caller('operator'), { name, semver: `1.0.${count}`, components });
};

const releaseOf = async (components: readonly object[], name = 'shop'): Promise<Release> => {
  const { releases } = app.module;
  const operator = app.caller('operator');
  const draft = await draftOf(components, name);
  const finalized = await releases.finalize(operator, { id: draft.id, expectedVersion: draft.version });
  return releases.markReady(operator, { id: draft.id, expectedVersion: finalized.version });
};

/** Creates an environment with one target, below those before it, so that its promotions skip nothing. */
const slotOf = async (): Promise<Environment> => {
  count += 1;
  const environment = await app.seed.environment({
    requiredApprovals: 0,
    orderIndex: 10_000 - count,
    name: `Place ${count}`,
  });
  await app.seed.target(environment, agent);
  return environment;
};

type Report = (assignment: Assignment) => object;

const answer = async (report: Report): Promise<void> => {
  const assignment = await leased(app, agent);
  await app.report(agent, assignment, 1, report(assignment));
};

const deploy = async (release: Release, environment: Environment, report: Report = landedAt) => {
  const promotion = await app.seed.promotion(release, environment);
  const { id } = await app.launch(promotion.id);
  await answer(report);
  return app.module.deployments.get(app.caller('operator'), { id });
};

const save = (environment: Environment, expectedVersion: number, variables: readonly object[]) =>
  app.module.variableSets.save(app.caller('operator'), { environmentId: environment.id, expectedVersion, variables });

const compare = (from: object, to: object) => app.module.comparisons.compare(app.caller('viewer'), { from, to });

const REQUESTS = `query ($from: ComparedInput!, $to: ComparedInput!) { compareReleases(from: $from, to: $to) {
  from { release { semver } environment { name } product { name } variableSetVersion }
  to { release { semver } environment { name } product { name } variableSetVersion }
  notices unchangedComponents unchangedVariables
  components { name kind from { requestedTag } to { requestedTag } }
  variables { name kind from { value secret } to { value secret } }
  addedEvidence removedEvidence } }`;

const ask = async (from: object, to: object) => {
  const { data, errors } = await app.graph(REQUESTS, { from, to }, { as: 'viewer' });
  assert.equal(errors, undefined);
  return JSON.parse(JSON.stringify(data)).compareReleases;
};

test('two releases differ in what is added, removed and changed, and the rest is counted', async () => {
  const [api, db] = [component('api', '1.0.0'), component('db', '1.0.0')];
  const older = await releaseOf([component('web', '1.0.0'), api, db]);
  const newer = await releaseOf([
    component('web', '1.1.0'),
    component('api', '1.0.0-again', 'api:1.0.0'),
    component('job', '1.0.0'),
  ]);
  await app.module.releases.recordEvidence(app.caller('operator'), {
    releaseId: newer.id,
    type: 'sbom',
    digest: app.anyDigest,
  });
  const { components, ...rest } = await ask({ releaseId: older.id }, { releaseId: newer.id });
  assert.deepEqual(components, [
    { name: 'db', kind: 'REMOVED', from: { requestedTag: '1.0.0' }, to: null },
    { name: 'job', kind: 'ADDED', from: null, to: { requestedTag: '1.0.0' } },
    { name: 'web', kind: 'CHANGED', from: { requestedTag: '1.0.0' }, to: { requestedTag: '1.1.0' } },
  ]);
  const side = { environment: null, product: { name: 'shop' }, variableSetVersion: null };
  assert.deepEqual(rest, {
    from: { ...side, release: { semver: older.semver } },
    to: { ...side, release: { semver: newer.semver } },
    notices: [],
    unchangedComponents: 1,
    unchangedVariables: null,
    variables: null,
    addedEvidence: ['SBOM'],
    removedEvidence: [],
  });
});

test('a release is compared with what runs, and the newest variables with those that run', async () => {
  const environment = await slotOf();
  for (const name of ['db/old', 'db/new']) await app.module.secrets.save(app.caller('operator'), { name, value: 'x' });
  const unchanged = { name: 'KEPT', value: 'same' };
  await save(environment, 0, [unchanged, { name: 'LEVEL', value: 'info' }, { name: 'KEY', secret: 'db/old' }]);
  const running = await releaseOf([component('web', '2.0.0')]);
  await deploy(running, environment);
  await save(environment, 1, [
    unchanged,
    { name: 'LEVEL', value: 'debug' },
    { name: 'KEY', secret: 'db/new' },
    { name: 'NEW', value: '' },
  ]);
  const next = await releaseOf([component('web', '2.1.0')]);
  const key = { productId: running.productId, environmentId: environment.id };
  const { from, to, variables, unchangedVariables, components } = await ask(key, { releaseId: next.id });
  assert.deepEqual(
    [from.release.semver, from.environment.name, from.variableSetVersion],
    [running.semver, environment.name, 1],
  );
  assert.deepEqual([to.release.semver, to.environment, to.variableSetVersion], [next.semver, null, 2]);
  assert.deepEqual(
    components.map(({ name, kind }: { name: string; kind: string }) => [name, kind]),
    [['web', 'CHANGED']],
  );
  assert.equal(unchangedVariables, 1);
  assert.deepEqual(variables, [
    { name: 'KEY', kind: 'CHANGED', from: { value: null, secret: 'db/old' }, to: { value: null, secret: 'db/new' } },
    { name: 'LEVEL', kind: 'CHANGED', from: { value: 'info', secret: null }, to: { value: 'debug', secret: null } },
    { name: 'NEW', kind: 'ADDED', from: null, to: { value: '', secret: null } },
  ]);
  const { id } = await app.seed.promotion(next, environment);
  const { data } = await app.graph(
    `query ($id: ID!) { promotion(id: $id) { comparison {
      from { variableSetVersion } to { variableSetVersion } components { name } variables { name } } } }`,
    { id },
    { as: 'viewer' },
  );
  assert.deepEqual(JSON.parse(JSON.stringify(data)).promotion.comparison, {
    from: { variableSetVersion: 1 },
    to: { variableSetVersion: 2 },
    components: [{ name: 'web' }],
    variables: [{ name: 'KEY' }, { name: 'LEVEL' }, { name: 'NEW' }],
  });
});

test('two environments are compared by what each of them runs', async () => {
  const deployAt = async (tag: string, region: string) => {
    const environment = await slotOf();
    await save(environment, 0, [{ name: 'REGION', value: region }]);
    const release = await releaseOf([component('web', tag)]);
    await deploy(release, environment);
    return { productId: release.productId, environmentId: environment.id };
  };
  const { components, variables, notices } = await ask(await deployAt('3.0.0', 'eu'), await deployAt('3.1.0', 'us'));
  assert.deepEqual([components.length, variables.length, notices], [1, 1, []]);
});

test('an environment where nothing runs is empty, and everything is added to it', async () => {
  const environment = await slotOf();
  const release = await releaseOf([component('web', '4.0.0')]);
  const key = { productId: release.productId, environmentId: environment.id };
  const { from, notices, components } = await ask(key, { releaseId: release.id });
  assert.deepEqual([from.release, notices], [null, ['FROM_IS_EMPTY']]);
  assert.deepEqual(
    components.map(({ kind }: { kind: string }) => kind),
    ['ADDED'],
  );
  assert.deepEqual((await ask({ releaseId: release.id }, key)).notices, ['TO_IS_EMPTY']);
  const nothing = await ask(key, key);
  assert.deepEqual(
    [nothing.notices, nothing.components, nothing.unchangedComponents],
    [['FROM_IS_EMPTY', 'TO_IS_EMPTY'], [], 0],
  );
});

test('the same release, releases of two products and drafts are compared, and the answer says so', async () => {
  const release = await releaseOf([component('web', '5.0.0')]);
  const same = await ask({ releaseId: release.id }, { releaseId: release.id });
  assert.deepEqual([same.notices, same.components, same.unchangedComponents], [['SAME_RELEASE'], [], 1]);
  const other = await releaseOf([component('web', '5.1.0')], 'billing');
  assert.deepEqual((await ask({ releaseId: release.id }, { releaseId: other.id })).notices, ['DIFFERENT_PRODUCTS']);
  const draft = await draftOf([component('web', '5.0.0'), component('api', '5.0.0')]);
  const { notices, components } = await ask({ releaseId: release.id }, { releaseId: draft.id });
  assert.deepEqual(notices, ['NOT_FINALIZED']);
  assert.deepEqual(
    components.map(({ name, kind }: { name: string; kind: string }) => [name, kind]),
    [
      ['api', 'ADDED'],
      ['web', 'UNKNOWN'],
    ],
  );
});

test('unknown ids, another tenant’s and half of a side are refused', async () => {
  const environment = await slotOf();
  const release = await releaseOf([component('web', '6.0.0')]);
  const { id: releaseId, productId } = release;
  const key = { productId, environmentId: environment.id };
  const refused: readonly (readonly [object, string])[] = [
    [{ releaseId: exampleId('Release') }, 'RES_RELEASE_NOT_FOUND'],
    [{ productId: exampleId('Product'), environmentId: environment.id }, 'RES_NOT_FOUND'],
    [{ productId, environmentId: exampleId('Environment') }, 'RES_ENVIRONMENT_NOT_FOUND'],
    [{ releaseId, environmentId: exampleId('Environment') }, 'RES_ENVIRONMENT_NOT_FOUND'],
    [{ productId }, 'VAL_REQUIRED_FIELD'],
    [{ environmentId: environment.id }, 'VAL_REQUIRED_FIELD'],
    [{}, 'VAL_REQUIRED_FIELD'],
    [{ releaseId: 'shop' }, 'VAL_INVALID_UUID'],
  ];
  for (const [side, code] of refused) {
    await assert.rejects(compare(side, { releaseId }), refusal(code), JSON.stringify(side));
    await assert.rejects(compare({ releaseId }, side), refusal(code), JSON.stringify(side));
  }
  const unknown = await releaseOf([component('web', '6.1.0')], 'mail');
  await assert.rejects(
    compare({ releaseId, productId: unknown.productId }, { releaseId }),
    refusal('VAL_INVALID_VALUE'),
  );
  const other = app.caller('other-tenant');
  for (const [side, code] of [
    [{ releaseId }, 'RES_RELEASE_NOT_FOUND'],
    [key, 'RES_NOT_FOUND'],
  ] as const)
    await assert.rejects(app.module.comparisons.compare(other, { from: side, to: side }), refusal(code));
});

test('a release in an environment has the variables that it would be launched with', async () => {
  const environment = await slotOf();
  await save(environment, 0, [{ name: 'A', value: '1' }]);
  const [one, two] = [await releaseOf([component('web', '7.0.0')]), await releaseOf([component('web', '7.1.0')])];
  const { from, to, variables, unchangedVariables } = await ask(
    { releaseId: one.id, environmentId: environment.id },
    { releaseId: two.id },
  );
  assert.deepEqual([from.variableSetVersion, to.variableSetVersion, variables, unchangedVariables], [1, 1, [], 1]);
});

const OF_DEPLOYMENT = `query ($id: ID!) { deployment(id: $id) {
  comparison { from { release { semver } } to { release { semver } variableSetVersion } notices }
  promotion { comparison { from { release { semver } } to { release { semver } } } } } }`;

const ofDeployment = async (id: string) => {
  const { data, errors } = await app.graph(OF_DEPLOYMENT, { id }, { as: 'viewer' });
  assert.equal(errors, undefined);
  const { comparison, promotion } = JSON.parse(JSON.stringify(data)).deployment;
  return [comparison, promotion.comparison].map(({ from, to }) => [from.release?.semver ?? null, to.release.semver]);
};

const failed: Report = () => failedAt('probe-failed', 'HTTP 500');

test('a deployment is compared with what ran before it, for ever; neither a failed one nor one that was undone', async () => {
  const environment = await slotOf();
  const release = (tag: string) => releaseOf([component('web', tag)]);
  const [one, two, three, four, five] = await Promise.all(['8.0.0', '8.1.0', '8.2.0', '8.3.0', '8.4.0'].map(release));
  assert.ok(one && two && three && four && five);
  const first = await deploy(one, environment);
  const second = await deploy(two, environment);
  const third = await deploy(three, environment, failed);
  const fourth = await deploy(four, environment);
  const rollback = await app.module.deployments.rollback(app.caller('operator'), {
    environmentId: environment.id,
    reason: 'Nobody can sign in.',
  });
  await app.module.runOnce.runner();
  await answer(landedAt);
  const last = await deploy(five, environment);
  const pairs: readonly (readonly [{ readonly id: string }, Release | null, Release])[] = [
    [first, null, one],
    [second, one, two],
    [third, two, three],
    [fourth, two, four],
    [rollback, four, two],
    [last, two, five],
  ];
  for (const [deployment, before, after] of pairs)
    assert.deepEqual((await ofDeployment(deployment.id))[0], [before?.semver ?? null, after.semver]);
  assert.deepEqual((await ofDeployment(fourth.id))[1], [two.semver, four.semver], 'its promotion says the same');
});

const LIST = `query ($first: Int!) { promotions(first: $first) { edges { node { comparison {
  from { release { semver } environment { name } } to { release { semver } } notices
  components { name kind from { digest } to { digest } } variables { name kind } } } } } }`;

test('fifty components and a list of promotions cost a fixed number of statements', async () => {
  const environment = await slotOf();
  await save(environment, 0, [{ name: 'A', value: '1' }]);
  const many = (tag: string) => Array.from({ length: 50 }, (_, index) => component(`part-${index}`, tag));
  const [older, newer] = [await releaseOf(many('1.0.0')), await releaseOf(many('1.1.0'))];
  await deploy(older, environment);
  const costOf = async (run: () => Promise<unknown>): Promise<number> => {
    app.statements.length = 0;
    await run();
    return app.statements.length;
  };
  const key = { productId: older.productId, environmentId: environment.id };
  const small = await costOf(() => ask({ releaseId: older.id }, { releaseId: newer.id }));
  assert.equal((await compare(key, { releaseId: newer.id })).components.changes.length, 50);
  const complete = await costOf(() => compare(key, { releaseId: newer.id }));
  assert.ok(complete <= 10, `${complete}: ${app.statements.join(', ')}`);
  assert.ok(small <= 8, `${small}`);
  await app.seed.promotion(newer, environment);
  const promotions = (first: number) => costOf(() => app.graph(LIST, { first }, { as: 'viewer' }));
  const [few, more] = [await promotions(3), await promotions(20)];
  assert.equal(more, few);
});
