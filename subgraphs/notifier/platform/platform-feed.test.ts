import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { event } from '@landfall/kernel/events/write';
import { arm } from '@landfall/kernel/system/failpoint';
import { caller } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { admin, notifierApp, operator } from '../testing/notifier-app.ts';

const app = await notifierApp();
after(() => app[Symbol.asyncDispose]());
const { module, deps } = app;
const alex = caller({ subject: 'alex' });

/** Publishes an event as another module does. */
const publish = (type: string, entity: string, id: string, data: Readonly<Record<string, unknown>> = {}) =>
  deps.database.write(alex.tenant, (tx) => event(tx, alex, type, { entity, id, version: 1, data }));

const newId = (): string => deps.ids.uuid();

/** Names of a release and an environment, and a launched deployment of it. */
const launched = async () => {
  const [release, environment, deployment] = [newId(), newId(), newId()];
  await publish('release.create', 'Release', release, { name: 'shop', semver: '1.4.2' });
  await publish('environment.create', 'Environment', environment, { name: 'production' });
  await publish('deployment.launch', 'Deployment', deployment, { release, environment });
  return { release, environment, deployment };
};

const FAILED = {
  state: 'failed',
  category: 'HealthProbe',
  plainReason: 'The probe stayed red.',
  action: 'Look at the log.',
};

/** Follows the platform until a kind of event was accepted this often; a transaction elsewhere can delay the events. */
const accepted = (kind: string, count = 1) =>
  until(async () => {
    await module.followPlatform();
    const { items } = await module.explanation.list(operator, { kind });
    return items.length >= count && items;
  });

test('a failed deployment is told with its names, its cause and the page of it', async () => {
  const { deployment } = await launched();
  await publish('deployment.advance', 'Deployment', deployment, FAILED);
  const [told] = await accepted('deployment.failed');
  assert.deepEqual(
    [
      told?.severity,
      told?.attributes.product,
      told?.attributes.release,
      told?.attributes.environment,
      told?.attributes.path,
    ],
    ['warning', 'shop', '1.4.2', 'production', `/deployments/${deployment}`],
  );
  const { channel } = await app.webhook('https://hooks.example/x');
  await module.rules.create(admin, {
    name: 'failures',
    priority: 1,
    matchers: [{ path: 'kind', op: 'eq', values: ['deployment.failed'] }],
    actions: [{ channelId: channel.id, templateKey: 'deployment.failed' }],
  });
  await module.route();
  const { deliveries } = await module.explanation.explain(operator, { id: told?.id });
  const { body } = await app.messageOf(deliveries[0]?.id);
  for (const word of [
    'shop 1.4.2',
    'production',
    'The probe stayed red.',
    `https://landfall.example/deployments/${deployment}`,
  ])
    assert.ok(body.includes(word), `${word} is not in ${body}`);
});

test('a promotion that waits for approval, a landing and a drift with its end are told', async () => {
  const { release, environment, deployment } = await launched();
  const target = newId();
  await publish('target.create', 'Target', target, { name: 'web-1', environmentId: environment });
  await publish('promotion.request', 'Promotion', newId(), {
    releaseId: release,
    environmentId: environment,
    state: 'pending',
  });
  await publish('deployment.advance', 'Deployment', deployment, { state: 'verifying' });
  await publish('deployment.advance', 'Deployment', deployment, { state: 'completed' });
  await publish('estate.driftBegan', 'Target', target, { observed: [] });
  await publish('estate.driftEnded', 'Target', target, { observed: [] });
  const drifts = await accepted('drift.seen', 2);
  assert.deepEqual(drifts.map(({ status }) => status).toSorted(), ['firing', 'resolved']);
  assert.equal(drifts[0]?.attributes.target, 'web-1');
  const [approval] = await accepted('approval.needed');
  assert.equal(approval?.attributes.product, 'shop');
  assert.equal((await accepted('deployment.landed')).length, 1);
});

test('an event is accepted once though the process ends before it is committed', async () => {
  const { deployment } = await launched();
  const before = (await module.explanation.list(operator, { kind: 'deployment.failed' })).items.length;
  await publish('deployment.advance', 'Deployment', deployment, FAILED);
  {
    using _crash = arm('notifier.platform.read', () => Promise.reject(new Error('killed')));
    await assert.rejects(
      until(async () => {
        await module.followPlatform();
        return false;
      }),
      /killed/,
    );
  }
  const after = await accepted('deployment.failed', before + 1);
  assert.equal(after.length, before + 1);
});

test('damaged evidence is told with its problem and its page, unreadable evidence as a warning', async () => {
  const [corrupt, unreadable] = [newId(), newId()];
  await publish('artifact.corrupt', 'Artifact', corrupt, { problem: 'The object is missing.', sha256: 'sha256:1' });
  await publish('artifact.unreadable', 'Artifact', unreadable, { cause: 'EIO', sha256: 'sha256:2' });
  const told = await accepted('evidence.damaged', 2);
  const of = (id: string) => told.find(({ attributes }) => attributes.artifactId === id);
  assert.deepEqual([of(corrupt)?.severity, of(corrupt)?.attributes.path], ['critical', `/evidence/${corrupt}`]);
  assert.equal(of(unreadable)?.severity, 'warning');
});
