import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTrafficSplit, stickyValue } from './traffic-split.ts';

test('of any hundred requests in a row exactly the weight is the candidate’s, at every weight', () => {
  for (let weight = 0; weight <= 100; weight++) {
    const split = createTrafficSplit();
    const toCandidate = Array.from({ length: 1_000 }, () => (split(weight, undefined) ? 1 : 0));
    for (let from = 0; from <= 900; from++) {
      const sum = toCandidate.slice(from, from + 100).reduce<number>((total, each) => total + each, 0);
      assert.equal(sum, weight, `weight ${weight} from request ${from}`);
    }
  }
});

test('a half is every second request, not fifty in a row', () => {
  const split = createTrafficSplit();
  const toCandidate = Array.from({ length: 10 }, () => split(50, undefined));
  for (let i = 1; i < toCandidate.length; i++) assert.notEqual(toCandidate[i], toCandidate[i - 1]);
});

test('a client that is recognised stays with the candidate once it has it, as long as the weight only grows', () => {
  const split = createTrafficSplit();
  const shares = Array.from({ length: 101 }, () => 0);
  for (let client = 0; client < 2_000; client++) {
    let isCandidate = false;
    for (let weight = 0; weight <= 100; weight++) {
      const now = split(weight, `client-${client}`);
      assert.ok(now || !isCandidate, `client ${client} came back at ${weight}`);
      isCandidate = now;
      if (now) shares[weight] = (shares[weight] ?? 0) + 1;
    }
    assert.ok(isCandidate);
  }
  for (const weight of [10, 50, 90])
    assert.ok(Math.abs((shares[weight] ?? 0) / 2_000 - weight / 100) < 0.04, `${shares[weight]} at ${weight}`);
});

test('recognised clients do not disturb the split of the others', () => {
  const split = createTrafficSplit();
  let toCandidate = 0;
  for (let i = 0; i < 100; i++) {
    split(30, `client-${i}`);
    if (split(30, undefined)) toCandidate += 1;
  }
  assert.equal(toCandidate, 30);
});

test('a client is recognised by the header, or else by the cookie', () => {
  const cookie = 'a=b; landfall_sticky=two ; landfall_sticky=three';
  assert.equal(stickyValue({ headers: { 'landfall-sticky': 'one', cookie } }), 'one');
  assert.equal(stickyValue({ headers: { cookie } }), 'two');
  for (const headers of [{}, { 'landfall-sticky': '' }, { cookie: 'xlandfall_sticky=no; landfall_sticky=' }])
    assert.equal(stickyValue({ headers }), undefined);
});
