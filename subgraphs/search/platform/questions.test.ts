import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { caller } from '@landfall/kernel/testing/callers';
import { queryModule } from '../query/query.fixture.ts';
import { searchApp } from '../testing/search-app.ts';
import { aDeployment, anEstate, aRelease, entry, finished, idOf, storyApp } from './story.fixture.ts';

const expected = (release: string) =>
  entry('promotion.request', 'Promotion', `promotion of ${release}`, {
    releaseId: idOf(release),
    environmentId: idOf('prod'),
    reason: 'Pictures of what we sell',
    state: 'pending',
  });

/** One release that runs in prod, one that failed there, one that waits. */
const STORY = [
  entry('user.create', 'User', 'rosa', { username: 'rosa' }),
  entry('user.create', 'User', 'max', { username: 'max' }),
  ...anEstate,
  ...aRelease('one', '1.0.0'),
  ...aDeployment('first', 'one'),
  ...aRelease('two', '1.1.0'),
  ...aDeployment('bad', 'two', [
    entry('deployment.advance', 'Deployment', 'bad', {
      state: 'failed',
      category: 'HealthCheckFailed',
      reason: 'probe-failed',
      stage: 'health-probe',
      plainReason: 'The new version started but never passed its health check.',
    }),
  ]),
  ...finished('max', [entry('release.hold', 'Release', 'two', { reason: 'The security review comes first' })]),
  ...aRelease('three', '1.2.0'),
  expected('three'),
];

/** Questions with the card that answers first. */
const ANSWERS = [
  ['who approved shop 1.0.0', 'shop 1.0.0 into prod was approved by rosa'],
  ['who held shop 1.1.0', 'shop 1.1.0: put on hold by max'],
  ['why did shop 1.1.0 fail', 'shop 1.1.0 in prod: failed'],
  ['what runs in prod', 'Environment prod'],
  ['what is waiting', 'Promotion of shop 1.2.0 to prod, waiting for approval'],
  ['what needs approval', 'Promotion of shop 1.2.0 to prod, waiting for approval'],
  ['when was shop 1.0.0 deployed to prod', 'Deployment of shop 1.0.0 to prod'],
] as const;

test('what people ask of the platform is answered by the document that says it', async () => {
  await using ground = await searchApp();
  const app = await storyApp(ground);
  await app.happen(STORY);
  await app.project();
  await ground.settled();
  const { query } = queryModule(ground.deps, { lane: ground.lane });
  const actor = { ...caller({ tenant: 'acme', subject: idOf('rosa') }), tenant: toTenantId('acme') };
  for (const [q, title] of ANSWERS) {
    const { cards } = await query.find(actor, { q, k: 5 });
    // The first card may be the subject itself: the release, or its environment.
    const first = cards.slice(0, 2).map((card) => card.title);
    assert.ok(first.includes(title), `${q}: ${cards.map((card) => card.title).join(' | ')}`);
  }
});
