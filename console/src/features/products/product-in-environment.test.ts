import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PortfolioCellFragment } from '../../generated/operations.ts';
import { actionPath, activeDeployment, failedDeployment, fromCell } from './product-in-environment.ts';

const NOTHING: PortfolioCellFragment = {
  __typename: 'PortfolioCell',
  environmentId: 'prod',
  semver: null,
  deploymentId: null,
  deployedAt: null,
  state: null,
  states: [],
  newestDeploymentId: null,
  newestStatus: null,
  newestSemver: null,
  waitsFor: null,
  pending: 0,
  approved: 0,
  promotionId: null,
  promotionState: null,
  promotionReleaseId: null,
  promotionSemver: null,
};

const current = { deploymentId: 'current', semver: '1.0.0', deployedAt: '2026-11-01T00:00:00Z' };
const newest = { newestDeploymentId: 'newest', newestSemver: '1.1.0' };
const promotion = { promotionId: 'asked', promotionReleaseId: 'release', promotionSemver: '1.2.0' };

const pathOf = (cell: Partial<PortfolioCellFragment>): string | undefined =>
  actionPath(fromCell({ ...NOTHING, ...cell }));

test('a cell leads to where its most urgent state is handled', () => {
  assert.equal(pathOf({}), undefined);
  assert.equal(pathOf({ ...current, states: ['IN_SYNC'] }), '/deployments/current');
  assert.equal(pathOf({ ...current, states: ['DRIFT'], state: 'DRIFT' }), '/estate?env=prod&state=DRIFT');
  assert.equal(
    pathOf({ ...current, ...newest, states: ['FAILED', 'DRIFT'], newestStatus: 'FAILED' }),
    '/deployments/newest',
  );
  assert.equal(
    pathOf({
      ...newest,
      ...promotion,
      states: ['WAITING'],
      newestStatus: 'PAUSED',
      waitsFor: 'PERSON',
      promotionState: 'PENDING',
    }),
    '/deployments/newest',
  );
  assert.equal(
    pathOf({ ...promotion, states: ['WAITING'], promotionState: 'PENDING', pending: 1 }),
    '/inbox?item=asked',
  );
  assert.equal(
    pathOf({ ...promotion, states: ['WAITING'], promotionState: 'APPROVED', approved: 1 }),
    '/releases/release/deploy?env=prod',
  );
});

test('a deployment is under way until it has ended, and a gate of the analysis is no failure', () => {
  const gate = fromCell({ ...NOTHING, ...newest, states: ['UNDER_WAY'], newestStatus: 'PAUSED', waitsFor: 'ANALYSIS' });
  assert.deepEqual([activeDeployment(gate)?.id, failedDeployment(gate)], ['newest', undefined]);
  const failed = fromCell({ ...NOTHING, ...newest, states: ['FAILED'], newestStatus: 'FAILED' });
  assert.deepEqual([activeDeployment(failed), failedDeployment(failed)?.id], [undefined, 'newest']);
});

test('the promotions beside the newest are counted', () => {
  assert.equal(
    fromCell({ ...NOTHING, ...promotion, promotionState: 'PENDING', pending: 2, approved: 1 }).otherPromotions,
    2,
  );
});
