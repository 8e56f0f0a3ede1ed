import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PromotionState, promotionStates } from '../../shared/enums.ts';
import { approveStateRefusal, cancelRefusal, rejectRefusal } from './promotion-rules.ts';

type Codes = Readonly<Record<PromotionState, string | undefined>>;

/** Expected fault of each action in each state (design 3.2). */
const table: readonly { act: string; rule: typeof cancelRefusal; codes: Codes }[] = [
  {
    act: 'approve',
    rule: approveStateRefusal,
    codes: {
      pending: undefined,
      approved: 'PROM_ALREADY_APPROVED',
      rejected: 'PROM_ALREADY_REJECTED',
      cancelled: 'PROM_ALREADY_CANCELLED',
      deploying: 'PROM_NOT_PENDING',
      deployed: 'PROM_NOT_PENDING',
      failed: 'PROM_NOT_PENDING',
      superseded: 'PROM_NOT_PENDING',
    },
  },
  {
    act: 'reject',
    rule: rejectRefusal,
    codes: {
      pending: undefined,
      approved: 'PROM_NOT_PENDING',
      rejected: 'PROM_ALREADY_REJECTED',
      cancelled: 'PROM_ALREADY_CANCELLED',
      deploying: 'PROM_NOT_PENDING',
      deployed: 'PROM_NOT_PENDING',
      failed: 'PROM_NOT_PENDING',
      superseded: 'PROM_NOT_PENDING',
    },
  },
  {
    act: 'cancel',
    rule: cancelRefusal,
    codes: {
      pending: undefined,
      approved: undefined,
      rejected: 'PROM_ALREADY_REJECTED',
      cancelled: 'PROM_ALREADY_CANCELLED',
      deploying: 'PROM_DEPLOYING',
      deployed: 'PROM_INVALID_STATE',
      failed: 'PROM_INVALID_STATE',
      superseded: 'PROM_INVALID_STATE',
    },
  },
];

for (const { act: run, rule, codes } of table)
  for (const state of promotionStates)
    test(`${run} of a promotion that is ${state}`, () => {
      const refusal = rule({ state });
      assert.equal(refusal?.code, codes[state]);
      assert.equal(refusal?.details?.state, codes[state] && state);
    });
