import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { caller } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { refusal } from '../../testing/catalogue-app.ts';
import { landedAt, leased } from '../../testing/deploying-app.ts';
import { estateApp, unknown } from './estate.fixture.ts';

const only = <T>([item, ...rest]: readonly T[]): T => {
  if (item === undefined || rest.length > 0) throw new TypeError('exactly one was expected');
  return item;
};

// spec: 2.10/estate-status, 3/estate-in-sync
test('what landed is in sync from that moment on', async () => {
  await using app = await estateApp();
  const { digest, environment, places: positions } = await app.landed(2);
  assert.deepEqual(await app.status(), {
    deployedComponents: 2,
    total: 2,
    drift: 0,
    inSync: 2,
    unobserved: 0,
    observingAgents: 2,
    agents: 2,
    deviations: 0,
  });
  assert.deepEqual(await app.drift(), []);
  const rows = await app.drift({ state: 'in_sync' });
  assert.deepEqual(
    rows.map(({ environmentId, targetId, approvedDigest, observedDigest }) => [
      environmentId,
      targetId,
      approvedDigest,
      observedDigest,
    ]),
    positions.map(({ target }) => [environment.id, target.id, digest, digest]),
  );
});

// spec: 3/estate-drift
test('another digest is drift, and nothing that was approved running is drift too', async () => {
  await using app = await estateApp();
  const { agents, places: positions, digest } = await app.landed(2);
  const [first, second] = positions;
  assert.ok(agents[0] && agents[1] && first && second);
  await app.sees(agents[0], first.target.id);
  await app.sees(agents[1], second.target.id, { running: false, digest: null, reason: 'the process is gone' });
  const rows = await app.drift();
  assert.deepEqual(
    rows.map(({ state, approvedDigest, observedDigest, reason }) => [state, approvedDigest, observedDigest, reason]),
    [
      ['drift', digest, unknown, null],
      ['drift', digest, null, 'the process is gone'],
    ],
  );
  const { drift, total } = await app.status();
  assert.deepEqual([drift, total], [2, 2]);
});

test('components of the same name are counted and filtered by product', async () => {
  await using app = await estateApp();
  const { environment, agents, release } = await app.landed();
  const agent = only(agents);
  const other = await app.seed.ready({ name: 'books' });
  const target = await app.seed.target(environment, agent, { productId: other.productId });
  await app.deploy(other, environment, agents);
  await app.sees(agent, target.id);
  const cells = await app.module.estate.map(app.caller('viewer'), {});
  assert.deepEqual(
    cells.map(({ productId, component, total, drift, inSync }) => [productId, component, total, drift, inSync]),
    [
      [other.productId, 'web', 1, 1, 0],
      [release.productId, 'web', 1, 0, 1],
    ],
  );
  const [row] = await app.drift({ productId: other.productId });
  assert.equal(row?.targetId, target.id);
  assert.deepEqual(await app.drift({ productId: release.productId }), []);
});

test('a process that is gone runs nothing, whatever digest is told with it', async () => {
  await using app = await estateApp();
  const { agents, places: positions, digest } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  await app.sees(agents[0], positions[0].target.id, { running: false, digest });
  const { state, observedDigest } = only(await app.drift());
  assert.deepEqual([state, observedDigest], ['drift', null]);
});

// spec: 3/estate-unobserved
test('silence is unobserved and never in sync, and says why', async () => {
  await using app = await estateApp();
  const { agents, places: positions } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  await app.clock.advance(20_000);
  await app.module.runOnce.watch();
  assert.equal((await app.status()).inSync, 1, 'one missed beat is not yet silence');
  await app.clock.advance(10_000);
  const missing = only(await app.drift());
  assert.deepEqual([missing.state, missing.reason], ['unobserved', 'its agent has not told of it for 30 s']);
  await app.module.runOnce.watch();
  const { unobserved, inSync, observingAgents, agents: known } = await app.status();
  assert.deepEqual([unobserved, inSync, observingAgents, known], [1, 0, 0, 1]);
  assert.equal(only(await app.drift()).reason, 'its agent is offline');
});

test('an agent that beats no more is not heard, though what it worked on lands', async () => {
  await using app = await estateApp();
  const { agents, environment } = await app.landed();
  const [agent] = agents;
  assert.ok(agent);
  await app.launch((await app.seed.approved(await app.seed.ready(), environment)).id);
  const assignment = await leased(app, agent);
  await app.clock.advance(30_000);
  await app.report(agent, assignment, 1, landedAt(assignment));
  const { unobserved, observingAgents } = await app.status();
  assert.deepEqual([unobserved, observingAgents], [1, 0]);
  await app.beat(agent);
  assert.equal((await app.status()).inSync, 1);
});

test('where an agent cannot tell what runs, it is unobserved', async () => {
  await using app = await estateApp();
  const { agents, places: positions } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  await app.sees(agents[0], positions[0].target.id, { digest: null, reason: 'no process file system' });
  const { state, reason } = only(await app.drift());
  assert.deepEqual([state, reason], ['unobserved', 'no process file system']);
});

test('the word of an agent counts only while it serves the target', async () => {
  await using app = await estateApp();
  const { places: positions } = await app.landed();
  const next = await app.register();
  assert.ok(positions[0]);
  const { id, version } = await app.module.targets.get(app.caller('viewer'), { id: positions[0].target.id });
  await app.module.targets.assignAgent(app.caller('operator'), {
    targetId: id,
    agentId: next.id,
    expectedVersion: version,
  });
  const { state, reason } = only(await app.drift());
  assert.deepEqual([state, reason], ['unobserved', 'its agent has not told of it']);
});

test('what nobody approved is drift, on a target that something landed on and on one that nothing did', async () => {
  await using app = await estateApp();
  const { agents, places: positions, environment } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  const plain = await app.seed.target(environment, agents[0]);
  await app.clock.advance(1_000);
  await app.sees(agents[0], positions[0].target.id, { component: 'miner' });
  await app.sees(agents[0], plain.id);
  assert.deepEqual(
    (await app.drift()).map(({ component, state, approvedDigest }) => [component, state, approvedDigest]),
    [
      ['miner', 'drift', null],
      ['web', 'drift', null],
    ],
  );
  const { deployedComponents, total } = await app.status();
  assert.deepEqual([deployedComponents, total], [1, 3]);
});

test('a beat that was on its way while a release landed does not bring back what that replaced', async () => {
  await using app = await estateApp();
  const { agents, places: positions } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  const before = new Date(app.deps.clock.now().getTime() - 5_000).toISOString();
  await app.sees(agents[0], positions[0].target.id, { component: 'old', observedAt: before });
  assert.equal((await app.status()).total, 1);
});

test('a disabled target does not count', async () => {
  await using app = await estateApp();
  const { places: positions } = await app.landed();
  assert.ok(positions[0]);
  const { id, version } = await app.module.targets.get(app.caller('viewer'), { id: positions[0].target.id });
  await app.module.targets.disable(app.caller('operator'), { id, expectedVersion: version });
  const { total, agents, deployedComponents } = await app.status();
  assert.deepEqual([total, agents, deployedComponents], [0, 0, 0]);
});

test('of an image index every platform’s manifest is approved, and it is found by either digest', async () => {
  await using app = await estateApp();
  const { agents, places: positions, environment } = await app.landed();
  const { release, index, children } = await app.indexed();
  const [child = '', other = ''] = children;
  await app.deploy(release, environment, agents, { platformDigest: child, observedDigest: child });
  assert.equal((await app.status()).inSync, 1);
  assert.ok(agents[0] && positions[0]);
  await app.sees(agents[0], positions[0].target.id, { digest: index });
  assert.equal((await app.status()).drift, 1, 'an index itself never runs');
  await app.sees(agents[0], positions[0].target.id, { digest: other });
  assert.equal((await app.status()).inSync, 1);
  for (const digest of [index, other]) {
    const found = await app.module.estate.digest(app.caller('viewer'), { digest });
    assert.deepEqual([found.locations.length, found.releases.map(({ id }) => id)], [1, [release.id]]);
  }
});

test('a digest that runs nowhere is nowhere', async () => {
  await using app = await estateApp();
  await app.landed();
  assert.deepEqual(await app.module.estate.digest(app.caller('viewer'), { digest: unknown }), {
    digest: unknown,
    locations: [],
    releases: [],
  });
});

const recordedEvents = table('kernel.events.told', {
  type: text,
  data: json(Type.Object({ observed: Type.Optional(Type.Array(Type.Object({ component: Type.String() }))) })),
});

test('the begin and the end of a drift are told, and the beats between them are not', async () => {
  await using app = await estateApp();
  const { agents, places: positions, digest } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  const { id } = positions[0].target;
  for (const tags of [unknown, unknown, digest, digest]) await app.sees(agents[0], id, { digest: tags });
  const events = await app.rows(
    recordedEvents,
    sql`select type, data from kernel.events e
      where entity = 'Target' and entity_id = ${id} and type like 'estate.%' order by e.xid, id`,
  );
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.observed?.map(({ component }) => component)]),
    [
      ['estate.landed', undefined],
      ['estate.driftBegan', ['web']],
      ['estate.driftEnded', ['web']],
    ],
  );
});

test('the list goes on behind the last row, in the order of state, path and name', async () => {
  await using app = await estateApp();
  const one = await app.landed(2);
  const two = await app.landed(2, one.release);
  for (const { agent, target } of [...two.places, ...one.places].slice(0, 3)) await app.sees(agent, target.id);
  const read = app.caller('viewer');
  const observation = [];
  let after: string | undefined;
  do {
    const { data, errors } = await app.graph(
      `query ($after: Cursor) { estate { drift(first: 1, after: $after) {
        totalCount edges { node { target { id } } } pageInfo { hasNextPage endCursor } } } }`,
      { after },
      { as: 'viewer' },
    );
    assert.equal(errors, undefined);
    const { totalCount, edges, pageInfo } = JSON.parse(JSON.stringify(data)).estate.drift;
    assert.equal(totalCount, 3);
    observation.push(...edges.map((edge: { node: { target: { id: string } } }) => edge.node.target.id));
    after = pageInfo.hasNextPage ? pageInfo.endCursor : undefined;
  } while (after !== undefined);
  assert.deepEqual(
    observation,
    (await app.drift()).map(({ targetId }) => targetId),
  );
  assert.deepEqual(
    observation,
    [one.places[0], ...two.places].map((component) => component?.target.id),
  );
  for (const cursor of [
    'nothing',
    Buffer.from('[1,2,"a"]').toString('base64url'),
    Buffer.from('[0,0,"\\u0000",""]').toString('base64url'),
  ])
    await assert.rejects(app.module.estate.drift(read, { after: cursor }), refusal('VAL_INVALID_FORMAT'));
});

test('a filter narrows, and one of an environment that is not there is refused', async () => {
  await using app = await estateApp();
  const { agents, places: positions, environment } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  await app.sees(agents[0], positions[0].target.id);
  const { id: other } = await app.seed.environment();
  assert.equal((await app.drift({ environmentId: environment.id, component: 'web', state: 'drift' })).length, 1);
  for (const filter of [{ environmentId: other }, { component: 'api' }, { state: 'unobserved' }])
    assert.deepEqual(await app.drift(filter), []);
  const unknown = app.deps.ids.uuid();
  for (const run of [app.module.estate.drift, app.module.estate.count])
    await assert.rejects(
      run(app.caller('viewer'), { filter: { environmentId: unknown } }),
      refusal('RES_ENVIRONMENT_NOT_FOUND'),
    );
});

test('the matrix shows what each environment’s current deployment brought, and the worst of what is there', async () => {
  await using app = await estateApp();
  const { agents, places: positions, environment, release, deployment, digest } = await app.landed(2);
  assert.ok(agents[0] && positions[0]);
  const empty = await app.seed.environment();
  await app.clock.advance(1_000);
  await app.sees(agents[0], positions[0].target.id);
  await app.sees(agents[0], positions[0].target.id, { component: 'miner' });
  const { environments, rows } = await app.module.estate.matrix(app.caller('viewer'), {});
  assert.deepEqual(
    environments.map(({ id }) => id),
    [environment.id, empty.id],
  );
  const cells = rows.map(({ component, cells: [first, second] }) => [
    component,
    [first?.releaseId, first?.deploymentId, first?.digest, first?.state],
    [second?.releaseId, second?.state],
  ]);
  assert.deepEqual(cells, [
    ['miner', [null, null, null, 'drift'], [null, null]],
    ['web', [release.id, deployment.id, digest, 'drift'], [null, null]],
  ]);
});

// spec: 5/estate-scopes
test('either read scope opens status, drift and digest; deviations and all else of the estate take orch:read', async () => {
  await using app = await estateApp();
  const { agents, places: positions } = await app.landed();
  assert.ok(agents[0] && positions[0]);
  await app.sees(agents[0], positions[0].target.id);
  const row = only(await app.drift());
  await app.module.estate.accept(app.caller('operator'), {
    observationId: row.id,
    seenDigest: unknown,
    reason: 'A fix by hand.',
    expiresAt: '2026-01-16T00:00:00Z',
  });
  const narrow = caller({ subject: 'narrow', scopes: ['release:read'] });
  const { estate } = app.module;
  assert.equal((await estate.status(narrow, {})).deviations, 1);
  assert.equal(only((await estate.drift(narrow, {})).items).deviation, null);
  assert.equal(only((await estate.digest(narrow, { digest: unknown })).locations).deviation, null);
  assert.notEqual(only(await app.drift()).deviation, null);
  const broad = caller({ subject: 'wide', scopes: ['orch:read'] });
  assert.equal((await estate.status(broad, {})).deviations, 1);
  assert.notEqual(only((await estate.drift(broad, {})).items).deviation, null);
  assert.equal((await estate.digest(broad, { digest: unknown })).locations.length, 1);
  const other = caller({ subject: 'other', scopes: ['orch:operate', 'orch:approve', 'authority:admin'] });
  const either = refusal('PERM_SCOPE_DENIED', { anyOf: ['release:read', 'orch:read'] });
  await assert.rejects(estate.status(other, {}), either);
  await assert.rejects(estate.drift(other, {}), either);
  await assert.rejects(estate.digest(other, { digest: unknown }), either);
  for (const run of [estate.map, estate.matrix, estate.deviations]) {
    await assert.rejects(run(narrow, {}), refusal('PERM_SCOPE_DENIED', { anyOf: ['orch:read'] }));
    assert.ok(await run(broad, {}));
  }
});
