import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from '@landfall/kernel/testing/clock';
import { createCircuitBreaker } from './circuit-breaker.ts';

const breaker = () => {
  const clock = fixedClock();
  const failures: boolean[] = [];
  const guarded = createCircuitBreaker({
    clock,
    threshold: 2,
    halfOpenMs: 1_000,
    onFailure: (_error, isOpen) => void failures.push(isOpen),
  });
  let calls = 0;
  const call = (outcome: () => Promise<string>) =>
    guarded(() => {
      calls += 1;
      return outcome();
    });
  return {
    clock,
    failures,
    call,
    calls: () => calls,
    fail: () => call(() => Promise.reject(new Error('no'))),
    succeed: () => call(async () => 'yes'),
  };
};

test('a circuit breaker opens after failures in a row, and a success between them counts them anew', async () => {
  const { call, fail, succeed, failures, calls } = breaker();
  await fail();
  assert.equal(await succeed(), 'yes');
  await fail();
  await fail();
  assert.deepEqual(failures, [false, false, true]);
  assert.equal(await call(async () => 'not made'), undefined);
  assert.equal(calls(), 4);
});

test('an open circuit breaker lets one call through after a while, which closes it or opens it again', async () => {
  const { clock, call, fail, succeed, calls } = breaker();
  await fail();
  await fail();
  clock.advance(1_000);
  await fail();
  assert.equal(await succeed(), undefined);
  clock.advance(1_000);
  const { promise, resolve } = Promise.withResolvers<string>();
  const trial = call(() => promise);
  assert.equal(await succeed(), undefined, 'the trial is not over');
  resolve('yes');
  assert.equal(await trial, 'yes');
  assert.equal(await succeed(), 'yes');
  assert.equal(calls(), 5);
});
