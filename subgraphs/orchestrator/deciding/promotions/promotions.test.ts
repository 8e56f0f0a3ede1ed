import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { count } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { Person } from '@landfall/kernel/testing/callers';
import type { Environment } from '../../catalogue/environments/environments.store.ts';
import { type PromotionState, promotionStates } from '../../shared/enums.ts';
import { catalogueApp, refusal } from '../../testing/catalogue-app.ts';
import type { Promotion } from './promotions.store.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { promotions, releases, environments } = app.module;
const operator = app.caller('operator');

/** Creates the lowest environment, which needs no promotion before it, with the policy of the test. */
let lowest = await app.seed.environment({ orderIndex: 1 });
const environment = async (policy: object = {}): Promise<Environment> => {
  const { id, version: expectedVersion } = lowest;
  const usual = { requiredApprovals: 1, separationOfDuties: 'off' };
  lowest = await environments.update(operator, { id, expectedVersion, ...usual, ...policy });
  return lowest;
};

const pending = async (overrides: object = {}): Promise<Promotion> =>
  app.seed.promotion(await app.seed.ready(), await environment(overrides));

const approve = ({ id, gatedDigestSet }: Promotion, as: Person, shownSet = gatedDigestSet) =>
  promotions.approve(app.caller(as), { id, seenGatedDigestSet: shownSet, comment: 'Fine.' });

const stateOf = async ({ id }: Promotion): Promise<PromotionState> => (await promotions.get(operator, { id })).state;

test('a request binds to the release’s digest set and waits for its approvals', async () => {
  const release = await app.seed.ready();
  const target = await environment({ requiredApprovals: 2 });
  const promotion = await app.seed.promotion(release, target);
  assert.equal(promotion.state, 'pending');
  assert.equal(promotion.approvalsNeeded, 2);
  assert.equal(promotion.gatedDigestSet, release.gatedDigestSet);
  assert.equal(promotion.requestedBy, operator.subject);
  assert.equal(promotion.sourceEnvironmentId, null);
});

test('where no approval is needed a request is approved as it is made', async () => {
  assert.equal((await pending({ requiredApprovals: 0 })).state, 'approved');
});

test('a promotion is approved when the last approval that it needs is given', async () => {
  const promotion = await pending({ requiredApprovals: 2 });
  const once = await approve(promotion, 'approver');
  assert.equal(once.state, 'pending');
  await assert.rejects(approve(promotion, 'approver'), refusal('RES_ALREADY_EXISTS'));
  const duplicated = await approve(promotion, 'second-approver');
  assert.equal(duplicated.state, 'approved');
  assert.deepEqual(
    duplicated.approvals.map(({ actor, decision, comment, gatedDigestSet }) => ({
      actor,
      decision,
      comment,
      gatedDigestSet,
    })),
    (['approver', 'second-approver'] as const).map((person) => ({
      actor: app.caller(person).subject,
      decision: 'approved',
      comment: 'Fine.',
      gatedDigestSet: promotion.gatedDigestSet,
    })),
  );
});

// spec: 7.2/PERM_SELF_APPROVAL
test('nobody approves their own request, nor something else than what they saw', async () => {
  const promotion = await pending();
  await assert.rejects(approve(promotion, 'operator'), refusal('PERM_SELF_APPROVAL', { requester: operator.subject }));
  await assert.rejects(approve(promotion, 'approver', app.anyDigest), refusal('RES_VERSION_CONFLICT'));
  await assert.rejects(approve(promotion, 'viewer'), refusal('PERM_SCOPE_DENIED'));
  await assert.rejects(approve(promotion, 'other-tenant'), refusal('RES_PROMOTION_NOT_FOUND'));
});

// spec: 7.1/sod-details, 7.2/PERM_SOD_VIOLATION
test('where duties are separated the author of the release does not approve it', async () => {
  const target = await environment({ separationOfDuties: 'author' });
  const release = await app.seed.ready();
  const approver = app.caller('approver');
  const promotion = await promotions.request(approver, {
    releaseId: release.id,
    targetEnvironmentId: target.id,
    reason: 'Ship it.',
  });
  await assert.rejects(
    approve(promotion, 'operator'),
    refusal('PERM_SOD_VIOLATION', {
      promotion: promotion.id,
      requester: approver.subject,
      approver: operator.subject,
      environment: target.id,
    }),
  );
  assert.equal((await approve(promotion, 'second-approver')).state, 'approved');
});

// spec: 7.2/PROM_NOT_PENDING, 7.2/PROM_ALREADY_APPROVED, 7.2/PROM_ALREADY_REJECTED, 7.2/PROM_ALREADY_CANCELLED, 7.2/PROM_DEPLOYING, 7.2/PROM_INVALID_STATE
/** Expected codes of approve, reject and cancel in each state (design 3.2). */
const matrix: Readonly<Record<'approve' | 'reject' | 'cancel', Readonly<Record<PromotionState, string>>>> = {
  approve: {
    pending: 'approved',
    approved: 'PROM_ALREADY_APPROVED',
    rejected: 'PROM_ALREADY_REJECTED',
    cancelled: 'PROM_ALREADY_CANCELLED',
    deploying: 'PROM_NOT_PENDING',
    deployed: 'PROM_NOT_PENDING',
    failed: 'PROM_NOT_PENDING',
    superseded: 'PROM_NOT_PENDING',
  },
  reject: {
    pending: 'rejected',
    approved: 'PROM_NOT_PENDING',
    rejected: 'PROM_ALREADY_REJECTED',
    cancelled: 'PROM_ALREADY_CANCELLED',
    deploying: 'PROM_NOT_PENDING',
    deployed: 'PROM_NOT_PENDING',
    failed: 'PROM_NOT_PENDING',
    superseded: 'PROM_NOT_PENDING',
  },
  cancel: {
    pending: 'cancelled',
    approved: 'cancelled',
    rejected: 'PROM_ALREADY_REJECTED',
    cancelled: 'PROM_ALREADY_CANCELLED',
    deploying: 'PROM_DEPLOYING',
    deployed: 'PROM_INVALID_STATE',
    failed: 'PROM_INVALID_STATE',
    superseded: 'PROM_INVALID_STATE',
  },
};

const runs = {
  approve: (promotion: Promotion) => approve(promotion, 'approver'),
  reject: ({ id }: Promotion) => promotions.reject(app.caller('approver'), { id, comment: 'Not now.' }),
  cancel: ({ id }: Promotion) => promotions.cancel(operator, { id, reason: 'Another one goes first.' }),
} as const;

for (const run of ['approve', 'reject', 'cancel'] as const)
  test(`${run} answers in every state as design 3.2 has it`, async () => {
    for (const state of promotionStates) {
      const promotion = await pending();
      await app.force.state(promotion.id, state);
      const expected = matrix[run][state];
      if (expected.startsWith('PROM_')) {
        await assert.rejects(runs[run](promotion), refusal(expected, { state }), `${run} ${state}`);
        assert.equal(await stateOf(promotion), state);
      } else assert.equal((await runs[run](promotion)).state, expected);
    }
  });

test('who rejects after approving has changed their mind', async () => {
  const promotion = await pending({ requiredApprovals: 2 });
  await approve(promotion, 'approver');
  const rejected = await runs.reject(promotion);
  assert.deepEqual(
    rejected.approvals.map(({ decision, comment }) => [decision, comment]),
    [['rejected', 'Not now.']],
  );
});

// spec: 7.2/PROM_SKIP_ENVIRONMENT
test('a release goes up the path only from where it has landed verified', async () => {
  const dev = await environment({ requiredApprovals: 0 });
  const stage = await app.seed.environment({ orderIndex: 2 });
  const release = await app.seed.ready();
  const skip = (skipped: Environment[]) => refusal('PROM_SKIP_ENVIRONMENT', { skipped: skipped.map(({ id }) => id) });

  await assert.rejects(app.seed.promotion(release, stage), skip([dev]));
  const other = await app.seed.ready();
  await app.force.landing(other, dev);
  await assert.rejects(app.seed.promotion(release, stage), skip([dev]));
  await app.force.landing(release, dev, 'unverified');
  await assert.rejects(app.seed.promotion(release, stage), skip([dev]));
  await app.force.landing(release, dev);
  const promotion = await app.seed.promotion(release, stage);
  assert.equal(promotion.sourceEnvironmentId, dev.id);
});

// spec: 7.2/REL_NOT_READY, 7.2/REL_DEPRECATED
test('a release that is not ready, held or deprecated is promoted nowhere', async () => {
  const target = await environment();
  const finalized = await app.seed.finalized();
  await assert.rejects(app.seed.promotion(finalized, target), refusal('REL_NOT_READY'));
  const ready = await app.seed.ready();
  const at = { id: ready.id, expectedVersion: ready.version };
  const heldRelease = await releases.hold(operator, { ...at, reason: 'Wait for the review.' });
  await assert.rejects(
    app.seed.promotion(heldRelease, target),
    refusal('REL_NOT_READY', { hold: 'Wait for the review.' }),
  );
  await releases.deprecate(operator, { id: ready.id, expectedVersion: heldRelease.version, reason: 'Old.' });
  await assert.rejects(app.seed.promotion(ready, target), refusal('REL_DEPRECATED'));
});

test('existence comes before everything else that may be wrong', async () => {
  const release = await app.seed.draft();
  const target = await environment();
  const ask = (releaseId: string, targetEnvironmentId: string) =>
    promotions.request(operator, { releaseId, targetEnvironmentId, reason: 'Ship it.' });
  await assert.rejects(ask(target.id, target.id), refusal('RES_RELEASE_NOT_FOUND'));
  await assert.rejects(ask(release.id, release.id), refusal('RES_ENVIRONMENT_NOT_FOUND'));
  await assert.rejects(ask('nonsense', target.id), refusal('VAL_INVALID_UUID'));
  await assert.rejects(ask(release.id, target.id), refusal('REL_NOT_READY'));
});

// spec: 7.2/PROM_ALREADY_EXISTS
test('eight who request the same at once: one promotion, seven are told', async () => {
  const release = await app.seed.ready();
  const target = await environment();
  const settled = await Promise.allSettled(Array.from({ length: 8 }, () => app.seed.promotion(release, target)));
  const reasons = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.equal(reasons.length, 7);
  for (const reason of reasons) assert.ok(refusal('PROM_ALREADY_EXISTS')(reason), String(reason));
  const all = await promotions.list(operator, { filter: { releaseId: release.id } });
  assert.equal(all.items.length, 1);
});

test('a promotion that has ended makes room for the next', async () => {
  const release = await app.seed.ready();
  const target = await environment();
  const first = await app.seed.promotion(release, target);
  await assert.rejects(app.seed.promotion(release, target), refusal('PROM_ALREADY_EXISTS'));
  await runs.reject(first);
  assert.equal((await app.seed.promotion(release, target)).state, 'pending');
});

test('two who approve at once both count', async () => {
  for (let round = 0; round < 5; round += 1) {
    const promotion = await pending({ requiredApprovals: 2 });
    await Promise.all([approve(promotion, 'approver'), approve(promotion, 'second-approver')]);
    const { state, approvals, version } = await promotions.get(operator, { id: promotion.id });
    assert.deepEqual([state, approvals.length, version], ['approved', 2, 3]);
  }
});

const actors = table('kernel.events.count', { count });

test('of an approval and a rejection at once one is carried out, and the audit says which', async () => {
  for (let round = 0; round < 5; round += 1) {
    const promotion = await pending();
    const reject = promotions.reject(app.caller('second-approver'), { id: promotion.id, comment: 'No.' });
    const settled = await Promise.allSettled([approve(promotion, 'approver'), reject]);
    assert.deepEqual(settled.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const approved = settled[0]?.status === 'fulfilled';
    assert.equal(await stateOf(promotion), approved ? 'approved' : 'rejected');
    const type = approved ? 'promotion.approve' : 'promotion.reject';
    const [events] = await app.rows(
      actors,
      sql`select count(*) as count from kernel.events where entity_id = ${promotion.id} and type = ${type}`,
    );
    assert.equal(events?.count, 1);
  }
});

test('the inbox is everything that waits, oldest first; today is what the caller may decide or launch', async () => {
  const [own, other] = [await pending({ requiredApprovals: 2 }), await pending()];
  const launchable = await pending({ requiredApprovals: 0 });
  const inbox = await promotions.inbox(operator, { first: 200 });
  const waiting = inbox.items.map(({ id }) => id);
  assert.deepEqual(waiting, waiting.toSorted());
  assert.ok(waiting.includes(own.id) && waiting.includes(other.id) && !waiting.includes(launchable.id));

  await approve(own, 'approver');
  const todayOf = async (person: Person) => promotions.today(app.caller(person), {});
  const ids = (found: readonly Promotion[]) => found.map(({ id }) => id);
  assert.ok(!ids((await todayOf('approver')).waiting).includes(own.id));
  assert.ok(ids((await todayOf('second-approver')).waiting).includes(own.id));
  assert.deepEqual((await todayOf('operator')).waiting, []);
  assert.deepEqual((await todayOf('viewer')).waiting, []);
  assert.ok(ids((await todayOf('viewer')).launchable).includes(launchable.id));
});

test('a policy that changes later does not change what was asked for', async () => {
  const target = await environment({ requiredApprovals: 1 });
  const promotion = await app.seed.promotion(await app.seed.ready(), target);
  await environment({ requiredApprovals: 3 });
  assert.equal((await approve(promotion, 'approver')).state, 'approved');
});
