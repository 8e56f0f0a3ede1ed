import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionPath, estateState, fromCell, fromEntity } from './product-in-environment.ts';

type Cell = Parameters<typeof fromCell>[0];

const EMPTY_CELL: Cell = {
  __typename: 'PortfolioCell',
  environmentId: 'prod',
  semver: null,
  deploymentId: null,
  deployedAt: null,
  states: [],
  unsettled: null,
  promotion: null,
};

const current = { deploymentId: 'current', semver: '1.0.0', deployedAt: '2026-11-01T00:00:00Z' };

const unsettled = (waitsFor: 'PERSON' | 'ANALYSIS' | 'AGENTS' | null) =>
  ({ __typename: 'UnsettledDeployment', id: 'newest', semver: '1.1.0', waitsFor }) as const;

const promotion = (state: 'PENDING' | 'APPROVED') =>
  ({ __typename: 'WaitingPromotion', id: 'asked', releaseId: 'release', semver: '1.2.0', state, others: 0 }) as const;

const pathOf = (cell: Partial<Cell>): string | undefined => actionPath('shop', fromCell({ ...EMPTY_CELL, ...cell }));

test('a cell leads to where its most urgent state is handled', () => {
  assert.equal(pathOf({}), undefined);
  assert.equal(pathOf({ ...current, states: ['IN_SYNC'] }), '/deployments/current');
  assert.equal(pathOf({ ...current, states: ['DRIFT'] }), '/estate?env=prod&state=DRIFT&product=shop');
  assert.equal(pathOf({ ...current, states: ['FAILED', 'DRIFT'], unsettled: unsettled(null) }), '/deployments/newest');
  assert.equal(pathOf({ states: ['WAITING'], promotion: promotion('PENDING') }), '/inbox?item=asked');
  assert.equal(pathOf({ states: ['WAITING'], promotion: promotion('APPROVED') }), '/releases/release/deploy?env=prod');
});

test('a deployment that waits for a person comes before a promotion, and one of the analysis after it', () => {
  const waiting = { ...current, states: ['WAITING' as const], promotion: promotion('PENDING') };
  assert.equal(pathOf({ ...waiting, unsettled: unsettled('PERSON') }), '/deployments/newest');
  assert.equal(pathOf({ ...waiting, unsettled: unsettled('ANALYSIS') }), '/inbox?item=asked');
  assert.equal(pathOf({ ...current, states: ['UNDER_WAY'], unsettled: unsettled('ANALYSIS') }), '/deployments/newest');
});

test('a step says what a cell of the portfolio says', () => {
  const release = { __typename: 'Release', id: 'release', semver: '1.2.0' } as const;
  const step = fromEntity({
    __typename: 'ProductInEnvironment',
    product: { __typename: 'Product', id: 'shop' },
    environment: { __typename: 'Environment', id: 'prod', name: 'prod' },
    states: ['WAITING', 'IN_SYNC'],
    currentDeployment: null,
    newestDeployment: { __typename: 'Deployment', id: 'newest', waitsFor: null, release },
    promotions: [{ __typename: 'Promotion', id: 'asked', state: 'PENDING', release }],
  });
  assert.equal(step.unsettled, null);
  assert.deepEqual(step.promotion, { id: 'asked', releaseId: 'release', semver: '1.2.0', state: 'PENDING', others: 0 });
  assert.equal(estateState(step), 'IN_SYNC');
});
