import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { admin, notifierApp, operator, stranger } from '../testing/notifier-app.ts';

test('a tenant with people that never had a rule gets the ready ones, once', async () => {
  await using app = await notifierApp();
  const { module, directory } = app;
  assert.equal(await module.createReadyRules(), 0, 'nobody is there yet');
  directory.add('00000000-0000-7000-8000-000000000201', 'ana', 'admin');
  assert.equal(await module.createReadyRules(), 1);
  const created = await module.rules.list(operator, {});
  assert.deepEqual(
    created.map(({ name }) => name),
    ['Approval needed', 'Deployment failed', 'Deployed to production', 'Drift seen', 'Evidence damaged'],
  );
  assert.deepEqual(await module.rules.list(stranger, {}), []);

  const [first, second] = created;
  await module.rules.update(admin, { id: first?.id, name: 'Approvals', priority: 5 });
  await module.rules.remove(admin, { id: second?.id });
  assert.equal(await module.createReadyRules(), 0);
  const kept = await module.rules.list(operator, {});
  assert.deepEqual([kept.length, kept[0]?.name], [4, 'Approvals']);
  for (const { id } of kept) await module.rules.remove(admin, { id });
  assert.equal(await module.createReadyRules(), 0);
  assert.deepEqual(await module.rules.list(operator, {}), []);
});

test('a tenant with a rule of its own gets none, and a process that ends halfway leaves none', async () => {
  await using app = await notifierApp();
  const { module, directory } = app;
  directory.add('00000000-0000-7000-8000-000000000201', 'ana', 'admin');
  {
    using _ended = arm('notifier.readyRules.inserted', () => Promise.reject(new Error('ended')));
    await assert.rejects(module.createReadyRules(), /ended/);
  }
  assert.deepEqual(await module.rules.list(operator, {}), []);
  await module.rules.create(admin, { name: 'own', priority: 1, matchers: [], actions: [] });
  assert.equal(await module.createReadyRules(), 0);
  assert.equal((await module.rules.list(operator, {})).length, 1);
});

test('a deployment that landed is told for production only, and a failure with its words', async () => {
  await using app = await notifierApp();
  const { module, directory } = app;
  directory.add('00000000-0000-7000-8000-000000000201', 'ana', 'admin');
  await module.createReadyRules();
  const rules = await module.rules.list(operator, {});
  const wanted = async (name: string, event: object): Promise<string> => {
    const ruleId = rules.find((rule) => rule.name === name)?.id;
    return (await module.testRule(operator, { ruleId, event: JSON.stringify(event) })).outcome;
  };
  const landed = (environment: string) => ({ kind: 'deployment.landed', attributes: { environment } });
  for (const [environment, outcome] of [
    ['production', 'matched'],
    ['Prod', 'matched'],
    ['eu-prod', 'matched'],
    ['staging', 'failed'],
    ['product-tests', 'failed'],
  ] as const)
    assert.equal(await wanted('Deployed to production', landed(environment)), outcome, environment);
  assert.equal(await wanted('Deployment failed', { kind: 'deployment.failed' }), 'matched');
});
