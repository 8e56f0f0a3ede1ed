import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { arm } from '@landfall/kernel/system/failpoint';
import { triageApp } from '../testing/triage.ts';

const DAY_MS = 86_400_000;

/** A scan whose only finding is accepted for ten days. */
const acceptedScan = async () => {
  const app = await triageApp();
  const scanId = await app.scan('wall', sha256('image'));
  const expiresAt = new Date(app.clock.now().getTime() + 10 * DAY_MS).toISOString();
  const decision = await app.decide({ status: 'accepted', justification: undefined, expiresAt });
  return { ...app, scanId, decision, expiresAt };
};

test('a decision ends at its time of expiry, before the worker has recorded it, and one event follows', async () => {
  await using app = await acceptedScan();
  assert.equal(await app.module.expireDecisions(), 0);
  assert.deepEqual(await app.decisionOf(app.scanId), ['ACCEPTED', 'COMPONENT']);
  await app.advanceDays(10);
  assert.equal(await app.decisionOf(app.scanId), null);
  assert.equal((await app.module.triage.get(app.who, { id: app.decision.id })).state, 'expired');
  await assert.rejects(app.revoke(app.decision.id), { code: 'RES_CONFLICT', message: /has expired/ });
  assert.equal(await app.module.expireDecisions(), 1);
  for (let turn = 0; turn < 3; turn++) assert.equal(await app.module.expireDecisions(), 0);
  const { decision, expiresAt } = app;
  assert.deepEqual(await app.eventsOf('triage.expire'), [
    {
      vulnerabilityId: 'CVE-2026-1000',
      scope: 'component',
      component: 'pkg:npm/gate@1.1.0',
      status: 'accepted',
      expiresAt,
      decidedBy: decision.decidedBy,
    },
  ]);
});

test('findings that a scan publishes after the expiry are not suppressed', async () => {
  await using app = await acceptedScan();
  await app.advanceDays(11);
  await app.scan('tower', sha256('next'));
  const pages = await app.eventsOf('scan.findings');
  assert.ok(pages.every((page) => Object(page.findings).every((each: object) => !('suppressed' in each))));
});

test('two processes record an expiry at the same time with one event', async () => {
  await using app = await acceptedScan();
  await app.advanceDays(10);
  const other = app.another();
  const counts = await Promise.all([
    app.module.expireDecisions(),
    other.expireDecisions(),
    app.module.expireDecisions(),
    other.expireDecisions(),
  ]);
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    1,
  );
  assert.equal((await app.eventsOf('triage.expire')).length, 1);
});

test('an expiry whose process failed before its event is recorded by the next turn, once', async () => {
  await using app = await acceptedScan();
  await app.advanceDays(10);
  {
    using _crash = arm('scanner.triage.expiring', () => {
      throw new Error('the process ended');
    });
    await assert.rejects(app.module.expireDecisions(), /the process ended/);
  }
  assert.deepEqual(await app.eventsOf('triage.expire'), []);
  assert.equal(await app.another().expireDecisions(), 1);
  assert.equal(await app.module.expireDecisions(), 0);
  assert.equal((await app.eventsOf('triage.expire')).length, 1);
});

test('a decision about an expired one records the expiry itself, and the worker adds no event', async () => {
  await using app = await acceptedScan();
  await app.advanceDays(10);
  await app.decide();
  assert.equal((await app.eventsOf('triage.expire')).length, 1);
  assert.equal(await app.module.expireDecisions(), 0);
  assert.deepEqual(await app.decisionOf(app.scanId), ['NOT_AFFECTED', 'COMPONENT']);
  const [, decided] = await app.eventsOf('triage.decide');
  assert.equal(decided?.supersedes, undefined);
});

test('a decision that was revoked or replaced does not expire', async () => {
  await using app = await acceptedScan();
  const { id } = await app.decide({ expiresAt: app.expiresAt });
  await app.revoke(id);
  await app.advanceDays(20);
  assert.equal(await app.module.expireDecisions(), 0);
  assert.deepEqual(await app.eventsOf('triage.expire'), []);
});
