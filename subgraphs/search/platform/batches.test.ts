import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import fc from 'fast-check';
import {
  aDeployment,
  anEstate,
  aRelease,
  digestOf,
  entry,
  idOf,
  type NewStoryEvent,
  storyApp,
} from './story.fixture.ts';

const landed = (name: string, release: string): NewStoryEvent[] => aDeployment(name, release);

/** Much of what can happen, in an order in which it does; names change on the way. */
const STORY: readonly NewStoryEvent[] = [
  entry('user.create', 'User', 'rosa', { username: 'rosa' }),
  ...anEstate,
  ...aRelease('one', '1.0.0'),
  ...landed('first', 'one'),
  ...aRelease('two', '1.1.0'),
  entry('environment.update', 'Environment', 'prod', { name: 'production' }),
  ...landed('second', 'two'),
  entry('target.health', 'Target', 'prod-1', { state: 'unhealthy', before: 'healthy', detail: 'not running: api' }),
  entry('estate.driftBegan', 'Target', 'prod-1', { observed: [{ component: 'api', digest: digestOf('by hand') }] }),
  entry('estate.acceptDeviation', 'Deviation', 'by hand', {
    targetId: idOf('prod-1'),
    component: 'api',
    digest: digestOf('by hand'),
    reason: 'A fix by hand',
    expiresAt: '2026-02-01T00:00:00.000Z',
  }),
  entry('target.update', 'Target', 'prod-1', { name: 'prod-one', changed: ['name'] }),
  entry('user.update', 'User', 'rosa', { username: 'rosa.diaz' }),
  entry('agent.register', 'Agent', 'harbour-2', { name: 'harbour-2' }),
  entry('target.assignAgent', 'Target', 'prod-2', { agentId: idOf('harbour-2'), before: idOf('harbour-1') }),
  entry('deployment.rollback', 'Deployment', 'back', {
    environment: idOf('prod'),
    undoes: idOf('second'),
    restores: idOf('first'),
    reason: 'Pages are slow',
  }),
  entry('estate.landed', 'Target', 'prod-2', { release: idOf('one'), deployment: idOf('back') }),
  entry('deployment.rolled_back', 'Deployment', 'second', { state: 'rolled_back', rollback: idOf('back') }),
  entry('release.hold', 'Release', 'two', { reason: 'Pages are slow' }),
  entry('user.deactivate', 'User', 'rosa'),
  entry('target.remove', 'Target', 'prod-1', { environmentId: idOf('prod') }),
  entry('agent.revoke', 'Agent', 'harbour-1', { reason: 'Replaced' }),
];

test('however events are parted into batches, the documents are those of a rebuild from the first', async () => {
  const parts = fc.uniqueArray(fc.integer({ min: 1, max: STORY.length - 1 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(parts, async (cuts) => {
      await using app = await storyApp();
      let from = 0;
      for (const to of [...cuts.toSorted((one, other) => one - other), STORY.length]) {
        await app.happen(STORY.slice(from, to));
        await app.project();
        from = to;
      }
      const documents = await app.documents();
      await app.projection.rebuild(toTenantId('acme'));
      assert.deepEqual(documents, await app.documents());
      assert.ok(documents.length > 10);
    }),
    { numRuns: 6, examples: [[STORY.map((_, index) => index).slice(1)]] },
  );
});

test('who is called otherwise is called so in every document', async () => {
  await using app = await storyApp();
  const at = STORY.findIndex(({ type }) => type === 'environment.update');
  await app.happen(STORY.slice(0, at));
  await app.project();
  await app.happen(STORY.slice(at, at + 1));
  await app.project();
  const documents = await app.documents();
  const titles = documents.map(({ title }) => title);
  assert.ok(titles.includes('Deployment of shop 1.0.0 to production'), titles.join(', '));
  assert.ok(titles.every((title) => !/ prod$/.test(title)));
  for (const phrase of ['It runs in production.', 'It serves prod-1 in production and prod-2 in production.'])
    assert.ok(
      documents.some(({ body }) => body.includes(phrase)),
      phrase,
    );
});
