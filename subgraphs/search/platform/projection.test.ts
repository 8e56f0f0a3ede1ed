import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { sql } from '@landfall/kernel/db/sql';
import { until } from '@landfall/kernel/testing/until';
import pg from 'pg';
import { createProjection } from './projection.ts';
import { aDeployment, anEstate, aRelease, digestOf, entry, idOf, storyApp } from './story.fixture.ts';

const key = (domain: string, kind: string, name: string): string => `${domain}/${kind}/${idOf(name)}`;

test('a release is found by its name, its images and digests, and says where it runs', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0'), ...aDeployment('first', 'one')]);
  await app.project();
  const release = await app.document(key('release', 'Release', 'one'));
  assert.equal(release?.title, 'Release shop 1.0.0');
  assert.equal(release?.entityKey, `release:${idOf('one')}`);
  assert.equal(release?.refType, 'Release');
  assert.match(
    release?.body ?? '',
    /Release shop 1\.0\.0 is ready\.\nComponents: api from registry\.example\/shop\/api:1\.0\.0 at sha256:[0-9a-f]{12}/,
  );
  assert.match(release?.body ?? '', /It runs in prod\./);
  assert.match(release?.body ?? '', /What is new in 1\.0\.0/);
  for (const name of ['shop@1.0.0', digestOf('api 1.0.0'), digestOf('set 1.0.0'), idOf('one')])
    assert.ok(release?.identifiers.includes(name), name);
  assert.deepEqual(release?.packages, ['registry.example/shop/api', 'registry.example/shop/web']);
});

test('the graph says what runs where, by which agent, under which rules', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0'), ...aDeployment('first', 'one')]);
  await app.project();
  const prod = await app.document(key('graph', 'Environment', 'prod'));
  assert.match(prod?.body ?? '', /^prod runs shop 1\.0\.0: api from/);
  assert.match(prod?.body ?? '', /prod-1 \(process\) runs shop 1\.0\.0; agent harbour-1 serves it; it is unknown\./);
  assert.match(prod?.body ?? '', /Its rules: 2 approvals needed; separation of duties: author\./);
  assert.ok(prod?.identifiers.includes(digestOf('web 1.0.0')));
  const agent = await app.document(key('graph', 'Agent', 'harbour-1'));
  assert.equal(agent?.body, 'Agent harbour-1 is active. It serves prod-1 in prod and prod-2 in prod.');
});

test('a deployment is one document with its story line by line, without its beats', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0'), ...aDeployment('first', 'one')]);
  await app.project();
  const scenario = await app.document(key('timeline', 'Deployment', 'first'));
  assert.equal(scenario?.title, 'Deployment of shop 1.0.0 to prod');
  assert.deepEqual(scenario?.body.split('\n'), [
    'A deployment of shop 1.0.0 to prod is completed.',
    'It was deployed on 2026-01-15 at 09:00 UTC.',
    'Why: Pictures of what we sell.',
    '2026-01-15 09:00 UTC: launched, canary',
    '2026-01-15 09:00 UTC: completed',
    '2026-01-15 09:00 UTC: attested: what landed is what was approved',
  ]);
  const timeline = (await app.documents()).filter(({ domain }) => domain === 'timeline');
  assert.deepEqual(timeline.map(({ entityType }) => entityType).toSorted(), ['deployment', 'environment', 'promotion']);
});

const failing = (name: string) => [
  entry('deployment.advance', 'Deployment', name, {
    state: 'failed',
    category: 'HealthCheckFailed',
    reason: 'probe-failed',
    stage: 'health-probe',
    plainReason: 'The new version started but never passed its health check.',
    action: 'Read its log below and mend the release; the version before it still serves.',
  }),
  entry('promotion.failed', 'Promotion', `promotion of ${name}`, { deployment: idOf(name) }),
];

test('what failed is remembered with its cause and with what followed', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('two', '1.1.0'), ...aDeployment('bad', 'two', failing('bad'))]);
  await app.happen([
    entry('promotion.retry', 'Promotion', 'again', { retryOf: idOf('promotion of bad'), state: 'approved' }),
    entry('deployment.retry', 'Deployment', 'second try', {
      promotion: idOf('again'),
      strategy: 'canary',
      retryOf: idOf('bad'),
    }),
  ]);
  await app.project();
  const memory = await app.document(key('opsmemory', 'Deployment', 'bad'));
  assert.equal(memory?.title, 'shop 1.1.0 in prod: failed');
  assert.equal(memory?.entityKey, `decision:deployment/${idOf('bad')}`);
  assert.equal(memory?.refType, 'Deployment');
  assert.match(
    memory?.body ?? '',
    /Cause: The new version started but never passed its health check\. \(HealthCheckFailed, probe-failed\)/,
  );
  assert.match(memory?.body ?? '', /was tried again$/);
  assert.ok(memory?.identifiers.includes('HealthCheckFailed'));
  const retried = await app.document(key('timeline', 'Deployment', 'second try'));
  assert.equal(retried?.title, 'Deployment of shop 1.1.0 to prod');
});

test('approvals, refusals, halts, rollbacks, holds and deviations are remembered with their reasons', async () => {
  await using app = await storyApp();
  await app.happen([
    ...anEstate,
    ...aRelease('one', '1.0.0'),
    ...aRelease('two', '1.1.0'),
    ...aDeployment('first', 'one'),
    ...aDeployment('second', 'two', [
      entry('deployment.advance', 'Deployment', 'second', {
        state: 'failed',
        category: 'StrategyGateHalted',
        reason: 'gate-halted',
        said: 'Pages take four seconds',
      }),
    ]),
    entry('deployment.halt', 'Deployment', 'second', { reason: 'Pages take four seconds' }),
    entry('deployment.rollback', 'Deployment', 'back', {
      environment: idOf('prod'),
      undoes: idOf('second'),
      restores: idOf('first'),
      reason: 'The pictures take four seconds to load',
    }),
    entry('deployment.rolled_back', 'Deployment', 'second', { state: 'rolled_back', rollback: idOf('back') }),
    entry('promotion.request', 'Promotion', 'refused', {
      releaseId: idOf('two'),
      environmentId: idOf('prod'),
      reason: 'Once more',
      state: 'pending',
    }),
    entry('promotion.reject', 'Promotion', 'refused', { comment: 'Not before the holidays', state: 'rejected' }),
    entry('release.hold', 'Release', 'two', { reason: 'Wait for the security review' }),
    entry('estate.acceptDeviation', 'Deviation', 'by hand', {
      targetId: idOf('prod-1'),
      component: 'api',
      digest: digestOf('by hand'),
      reason: 'A fix by hand',
      expiresAt: '2026-02-01T00:00:00.000Z',
    }),
    entry('agent.revoke', 'Agent', 'harbour-1', { reason: 'Its disk was stolen' }),
  ]);
  await app.project();
  const memories = (await app.documents()).filter(({ domain }) => domain === 'opsmemory');
  assert.ok(memories.every(({ entityType }) => entityType === 'decision'));
  const text = memories.map(({ title, body }) => `${title}\n${body}`).join('\n');
  for (const phrase of [
    'approved (2 of 2): Looked at the load test.',
    'halted: Pages take four seconds.',
    'shop 1.1.0 in prod: rolled back',
    'prod was rolled back to shop 1.0.0',
    'It took shop 1.1.0 back.',
    'The pictures take four seconds to load.',
    'shop 1.1.0 into prod was rejected',
    'Not before the holidays.',
    'put on hold: Wait for the security review.',
    'may run on prod-1 in prod: A fix by hand.',
    'It holds until 2026-02-01.',
    'revoked: Its disk was stolen.',
  ])
    assert.ok(text.includes(phrase), phrase);
});

test('what is gone vanishes: a target, a revoked agent', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0'), ...aDeployment('first', 'one')]);
  await app.project();
  await app.happen([
    entry('target.remove', 'Target', 'prod-2', {
      environmentId: idOf('prod'),
      name: 'prod-2',
      agentId: idOf('harbour-1'),
    }),
    entry('agent.revoke', 'Agent', 'harbour-1', { reason: 'Replaced' }),
  ]);
  await app.project();
  assert.equal(await app.document(key('graph', 'Target', 'prod-2')), undefined);
  assert.equal(await app.document(key('graph', 'Agent', 'harbour-1')), undefined);
  const prod = await app.document(key('graph', 'Environment', 'prod'));
  assert.doesNotMatch(prod?.body ?? '', /prod-2/);
});

test('each tenant has its own documents and nothing of another', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0')]);
  await app.happen(
    [entry('release.create', 'Release', 'theirs', { name: 'theirs', semver: '9.0.0', components: [] })],
    'globex',
  );
  // Another tenant that refers to an entity of this one learns nothing of it.
  await app.happen(
    [
      entry('promotion.request', 'Promotion', 'stray', {
        releaseId: idOf('one'),
        environmentId: idOf('prod'),
        reason: 'x',
        state: 'pending',
      }),
    ],
    'globex',
  );
  await app.project();
  const [own, other] = [await app.documents(), await app.documents('globex')];
  assert.ok(!JSON.stringify(own).includes('theirs'));
  assert.ok(!JSON.stringify(other).includes('shop'));
  assert.deepEqual(other.map(({ title }) => title).toSorted(), [
    'Promotion of a release to an environment, waiting for approval',
    'Release theirs 9.0.0',
  ]);
});

test('a rebuild tells the same, twice, and drops what nothing speaks of', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0'), ...aDeployment('first', 'one', failing('first'))]);
  await app.project();
  const before = await app.documents();
  const acme = toTenantId('acme');
  const [leftover] = before;
  assert.ok(leftover);
  await app.corpus.put(acme, [
    {
      domain: 'graph',
      source: 'platform',
      documentKey: 'graph/Target/gone',
      part: 0,
      entityType: 'target',
      entityKey: 'target:gone',
      title: 'Gone',
      body: '',
      identifiers: [],
      packages: [],
    },
  ]);
  assert.equal(await app.projection.rebuild(acme), before.length);
  assert.deepEqual(await app.documents(), before);
  assert.equal(await app.projection.rebuild(acme), before.length);
  assert.deepEqual(await app.documents(), before);
  await app.happen([
    entry('deployment.retry', 'Deployment', 'more', { promotion: idOf('promotion of first'), retryOf: idOf('first') }),
  ]);
  await app.project();
  assert.match((await app.document(key('opsmemory', 'Deployment', 'first')))?.body ?? '', /was tried again/);
});

test('a rebuild has what the projection has passed, where the horizon stands before it', async () => {
  await using app = await storyApp();
  await app.project();
  const client = new pg.Client(app.connection);
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Its transaction is older than the events, and holds the horizon back.
    await client.query('begin');
    await client.query('select pg_current_xact_id()');
    await app.happen([...anEstate, ...aRelease('one', '1.0.0')]);
    await app.deps.database.system.write((tx) =>
      tx.run(sql`/* search.projections.pass */
        update search.projections set (xid, event_id) =
          (select xid, id from kernel.events order by xid desc, id desc limit 1)`),
    );
    assert.ok((await app.projection.rebuild(toTenantId('acme'))) > 2);
  } finally {
    await client.end();
  }
});

test('documents and the place among the events are one transaction: what fails is told again, and nothing twice', async () => {
  await using app = await storyApp();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0')]);
  await app.project();
  await app.happen(aDeployment('first', 'one'));
  const client = new pg.Client(app.connection);
  await client.connect();
  await client.query(
    `create function obstacle() returns trigger language plpgsql as
       $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$;
     create trigger obstacle before insert on search.chunks for each row execute function obstacle()`,
  );
  const before = await app.documents();
  await assert.rejects(app.project());
  assert.deepEqual(await app.documents(), before);
  await client.query('drop trigger obstacle on search.chunks');
  await client.end();
  await app.project();
  const scenario = await app.document(key('timeline', 'Environment', 'prod'));
  assert.equal(scenario?.body.match(/was launched/g)?.length, 1);
  assert.equal(await app.projection.advance(), 0);
});

test('the worker follows by itself, and of two at once each event is told once', async () => {
  await using app = await storyApp();
  const other = createProjection(app.deps, app.corpus);
  await using _one = app.projection.start();
  await using _other = other.start();
  await app.happen([...anEstate, ...aRelease('one', '1.0.0'), ...aDeployment('first', 'one')]);
  const isAnnounced = async (): Promise<boolean> =>
    (await app.document(key('timeline', 'Deployment', 'first')))?.body.includes('attested') ?? false;
  await until(isAnnounced);
  const scenario = await app.document(key('timeline', 'Environment', 'prod'));
  assert.equal(scenario?.body.match(/was launched/g)?.length, 1);
});
