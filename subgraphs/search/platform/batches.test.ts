import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import fc from 'fast-check';
import { aDeployment, anEstate, aRelease, digestOf, idOf, storyApp, type Told, told } from './story.fixture.ts';

const landed = (name: string, release: string): Told[] => aDeployment(name, release);

/** Much of what can happen, in an order in which it does; names change on the way. */
const STORY: readonly Told[] = [
  told('user.create', 'User', 'rosa', { username: 'rosa' }),
  ...anEstate,
  ...aRelease('one', '1.0.0'),
  ...landed('first', 'one'),
  ...aRelease('two', '1.1.0'),
  told('environment.update', 'Environment', 'prod', { name: 'production' }),
  ...landed('second', 'two'),
  told('target.health', 'Target', 'prod-1', { state: 'unhealthy', before: 'healthy', detail: 'not running: api' }),
  told('estate.driftBegan', 'Target', 'prod-1', { observed: [{ component: 'api', digest: digestOf('by hand') }] }),
  told('estate.acceptDeviation', 'Deviation', 'by hand', {
    targetId: idOf('prod-1'),
    component: 'api',
    digest: digestOf('by hand'),
    reason: 'A fix by hand',
    expiresAt: '2026-02-01T00:00:00.000Z',
  }),
  told('target.update', 'Target', 'prod-1', { name: 'prod-one', changed: ['name'] }),
  told('user.update', 'User', 'rosa', { username: 'rosa.diaz' }),
  told('agent.register', 'Agent', 'harbour-2', { name: 'harbour-2' }),
  told('target.assignAgent', 'Target', 'prod-2', { agentId: idOf('harbour-2'), before: idOf('harbour-1') }),
  told('deployment.rollback', 'Deployment', 'back', {
    environment: idOf('prod'),
    undoes: idOf('second'),
    restores: idOf('first'),
    reason: 'Pages are slow',
  }),
  told('estate.landed', 'Target', 'prod-2', { release: idOf('one'), deployment: idOf('back') }),
  told('deployment.rolled_back', 'Deployment', 'second', { state: 'rolled_back', rollback: idOf('back') }),
  told('release.hold', 'Release', 'two', { reason: 'Pages are slow' }),
  told('user.deactivate', 'User', 'rosa'),
  told('target.remove', 'Target', 'prod-1', { environmentId: idOf('prod') }),
  told('agent.revoke', 'Agent', 'harbour-1', { reason: 'Replaced' }),
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
      const told = await app.documents();
      await app.projection.rebuild(toTenantId('acme'));
      assert.deepEqual(told, await app.documents());
      assert.ok(told.length > 10);
    }),
    { numRuns: 6, examples: [[STORY.map((_, at) => at).slice(1)]] },
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
  for (const said of ['It runs in production.', 'It serves prod-1 in production and prod-2 in production.'])
    assert.ok(
      documents.some(({ body }) => body.includes(said)),
      said,
    );
});
