import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LOG_LINE, MAX_LOG_LINES } from '@landfall/agent/protocol/limits';
import { Fault } from '@landfall/kernel/core/fault';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { refusal } from '../../testing/catalogue-app.ts';
import { type DeployingApp, deployingApp, failedAt, leased } from '../../testing/deploying-app.ts';
import { MAX_BYTES, MAX_LINES } from '../log/logs.store.ts';

/** Creates a running task and a function that sends log lines. */
const scenario = async (app: DeployingApp) => {
  const environment = await app.seed.environment({ requiredApprovals: 0 });
  const agent = await app.register();
  const target = await app.seed.target(environment, agent);
  const deployment = await app.launch((await app.seed.approved(await app.seed.ready(), environment)).id);
  const assignment = await leased(app, agent);
  const { taskId, fence } = assignment.task;
  const operation = app.module.operations.find(({ spec }) => spec.name === 'agentTask.log') ?? assert.fail();
  let seq = 0;
  const line = (text: string) => ({ component: 'web', text, at: app.deps.clock.now().toISOString() });
  const sendLines = (texts: readonly string[], overrides: Readonly<Record<string, unknown>> = {}, as = agent) => {
    seq += 1;
    return operation(as.caller, { taskId, fence, seq, lines: texts.map(line), dropped: 0, ...overrides });
  };
  const read = async (page: Readonly<Record<string, unknown>> = {}) => {
    const log = await app.module.logs.log(app.caller('viewer'), {
      deploymentId: deployment.id,
      targetId: target.id,
      ...page,
    });
    return { ...log, texts: log.edges.map(({ node }) => node.text) };
  };
  return { agent, target, deployment, assignment, say: sendLines, read };
};

const logged = table('kernel.notices.told', { count });
const countEvents = async (app: DeployingApp): Promise<number> => {
  const [row] = await app.rows(logged, sql`select count(*) as count from kernel.notices where type = 'deployment.log'`);
  return row?.count ?? 0;
};

test('what components write is read in its order, page by page, and a tail goes on from where it was', async () => {
  await using app = await deployingApp();
  const { say: sendLines, read } = await scenario(app);
  assert.deepEqual((await read()).edges, []);
  await sendLines(['one', 'two', 'three']);
  const first = await read({ first: 2 });
  assert.deepEqual([first.texts, first.pageInfo.hasNextPage], [['one', 'two'], true]);
  const second = await read({ first: 2, after: first.pageInfo.endCursor });
  assert.deepEqual([second.texts, second.pageInfo.hasNextPage], [['three'], false]);
  const nothing = await read({ after: second.pageInfo.endCursor });
  assert.deepEqual([nothing.edges, nothing.pageInfo.endCursor], [[], second.pageInfo.endCursor]);
  await sendLines(['four']);
  assert.deepEqual((await read({ after: nothing.pageInfo.endCursor })).texts, ['four']);
  for (const after of ['x', 'MTIz', Buffer.from('l1; drop').toString('base64url')])
    await assert.rejects(read({ after }), refusal('VAL_INVALID_FORMAT'));
});

test('the newest lines are kept and the oldest go, and both ends say what is missing', async () => {
  await using app = await deployingApp();
  const { say: sendLines, read } = await scenario(app);
  const batch = Array.from({ length: MAX_LOG_LINES }, (_, i) => `${i}`);
  const batches = Math.ceil(MAX_LINES / MAX_LOG_LINES) + 1;
  for (let nth = 0; nth < batches; nth++) await sendLines(batch);
  const removed = batches * MAX_LOG_LINES - MAX_LINES;
  const { edges, texts } = await read({ first: 3 });
  assert.deepEqual(texts.slice(0, 2), [`(${removed} earlier lines are kept no more)`, `${removed % MAX_LOG_LINES}`]);
  assert.equal(edges[0]?.node.component, 'landfall');
  assert.deepEqual((await read({ first: 1, after: edges[0]?.cursor })).texts, texts.slice(1, 2));
  await sendLines(['last'], { dropped: 7 });
  const end = await read({ first: 200, after: Buffer.from(`l${batches * MAX_LOG_LINES}`).toString('base64url') });
  assert.deepEqual(end.texts, ['(7 lines came too fast and were left out)', 'last']);
});

test('a log of long lines is kept by its bytes', async () => {
  await using app = await deployingApp();
  const { say: sendLines } = await scenario(app);
  const long = Array.from({ length: MAX_LOG_LINES }, () => '€'.repeat(MAX_LOG_LINE));
  for (let nth = 0; nth < 5; nth++) await sendLines(long);
  const sizes = table('orchestrator.deployment_logs.size', { bytes: count, lines: count });
  const [stored] = await app.rows(
    sizes,
    sql`select sum(octet_length(text))::bigint as bytes, count(*) as lines from orchestrator.deployment_logs`,
  );
  assert.ok(stored && stored.bytes <= MAX_BYTES && stored.bytes > MAX_BYTES - 2 * 3 * MAX_LOG_LINE, `${stored?.bytes}`);
});

test('only the holder of a task tells of it, under its fence, and only while it is under way', async () => {
  await using app = await deployingApp();
  const { agent, assignment, say: sendLines, read } = await scenario(app);
  const unrelated = await app.register();
  await assert.rejects(sendLines(['x'], {}, unrelated), refusal('RES_NOT_FOUND'));
  await assert.rejects(sendLines(['x'], { taskId: crypto.randomUUID() }), refusal('RES_NOT_FOUND'));
  await assert.rejects(sendLines(['x'], { fence: assignment.task.fence + 1 }), refusal('RES_VERSION_CONFLICT'));
  await sendLines(['under way']);
  await app.report(agent, assignment, 1, failedAt('probe-failed', 'HTTP 500'));
  await assert.rejects(sendLines(['too late']), refusal('RES_VERSION_CONFLICT'));
  assert.deepEqual((await read()).texts, ['under way']);
});

test('a message that comes twice is kept once, whatever it says the second time', async () => {
  await using app = await deployingApp();
  const { say: sendLines, read } = await scenario(app);
  await sendLines(['one'], { seq: 1 });
  await sendLines(['one'], { seq: 1 });
  await sendLines(['two'], { seq: 3 });
  await sendLines(['late'], { seq: 2 });
  assert.deepEqual((await read()).texts, ['one', 'two']);
});

test('what does not fit the protocol is refused field by field, and nothing of it is kept', async () => {
  await using app = await deployingApp();
  const { say: sendLines, read } = await scenario(app);
  const at = app.deps.clock.now().toISOString();
  const refused: readonly (readonly [object, string])[] = [
    [{ lines: Array.from({ length: MAX_LOG_LINES + 1 }, () => ({ component: 'web', text: '', at })) }, 'lines'],
    [{ lines: [{ component: 'web', text: 'x'.repeat(MAX_LOG_LINE + 1), at }] }, 'lines.0.text'],
    [{ lines: [{ component: 'web', text: 'a\0b', at }] }, 'lines.0.text'],
    [{ lines: [{ component: 'web', text: '\ud800', at }] }, 'lines.0.text'],
    [{ lines: [{ component: 'x'.repeat(65), text: 'a', at }] }, 'lines.0.component'],
    [{ lines: [{ component: 'web', text: 'a', at: '0000-01-01T00:00:00Z' }] }, 'lines.0.at'],
    [{ dropped: -1 }, 'dropped'],
    [{ dropped: 2 ** 60 }, 'dropped'],
    [{ seq: 0 }, 'seq'],
    [{ seq: 2 ** 31 }, 'seq'],
  ];
  for (const [over, field] of refused)
    await assert.rejects(
      sendLines(['x'], { ...over }),
      (error) => error instanceof Fault && error.fields.some((fault) => fault.field === field),
      field,
    );
  assert.deepEqual((await read()).edges, []);
  await sendLines([], { lines: [{ component: 'web', text: 'from the future', at: '9999-12-31T23:59:59Z' }] });
  assert.equal((await read()).edges[0]?.node.at.toISOString(), at, 'the agent’s clock is not trusted');
});

// spec: rulings/66
test('followers are told once a second at most, of the last line too, and the audit trail of none', async () => {
  await using app = await deployingApp();
  const { deployment, say: sendLines } = await scenario(app);
  const deploy = async () => {
    const noticeRows = table('kernel.notices.place', { id: count });
    const [row] = await app.rows(noticeRows, sql`select id from kernel.notices where entity_id = ${deployment.id}`);
    return row?.id;
  };
  await sendLines(['one']);
  const first = await deploy();
  assert.ok(first);
  await sendLines(['two']);
  await sendLines(['three']);
  assert.equal(await deploy(), first);
  await app.module.runOnce.watch();
  assert.equal(await deploy(), first, 'the second is not over');
  await app.clock.advance(1_000);
  await app.module.runOnce.watch();
  const second = await deploy();
  assert.notEqual(second, first);
  await app.module.runOnce.watch();
  assert.equal(await deploy(), second, 'there is nothing new');
  assert.equal(await countEvents(app), 1);
  const audited = await app.rows(
    logged,
    sql`select count(*) as count from kernel.events where type = 'deployment.log'`,
  );
  assert.equal(audited[0]?.count, 0);
});

test('a log is forgotten days after its last line, and not before', async () => {
  await using app = await deployingApp();
  const { say: sendLines, read } = await scenario(app);
  await sendLines(['one']);
  await app.clock.advance(30 * 86_400_000 - 1_000);
  await app.module.runOnce.housekeeping();
  assert.deepEqual((await read()).texts, ['one']);
  await app.clock.advance(1_000);
  await app.module.runOnce.housekeeping();
  assert.deepEqual((await read()).texts, []);
});

// spec: rulings/66
test('the graph shows the log of a target of a deployment, of the caller’s tenant alone', async () => {
  await using app = await deployingApp();
  const { deployment, say: sendLines } = await scenario(app);
  await sendLines(['listening on 8080']);
  const query = `query ($id: ID!) {
    deployment(id: $id) {
      targets { log(first: 1) { edges { cursor node { component text at } } pageInfo { hasNextPage endCursor } } }
    }
  }`;
  const { data } = await app.graph(query, { id: deployment.id }, { as: 'viewer' });
  const [{ log }] = JSON.parse(JSON.stringify(data)).deployment.targets;
  assert.deepEqual(log.edges[0].node, {
    component: 'web',
    text: 'listening on 8080',
    at: app.deps.clock.now().toISOString(),
  });
  assert.deepEqual(log.pageInfo, { hasNextPage: false, endCursor: log.edges[0].cursor });
  await assert.rejects(
    app.module.logs.log(app.caller('other-tenant'), { deploymentId: deployment.id, targetId: deployment.id }),
    refusal('RES_NOT_FOUND'),
  );
});
