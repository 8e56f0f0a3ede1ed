import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachabilityOf } from './finding-reachability.ts';

const finding = (reachability: 'UNKNOWN' | 'REACHABLE', ...stated: ('UNKNOWN' | 'UNREACHABLE' | 'REACHABLE')[]) => ({
  reachability,
  reachabilityStatements: stated.map((one) => ({ reachability: one })),
});

test('a call graph that knows more than the freeze decides, and the riskiest of several', () => {
  assert.equal(reachabilityOf(finding('UNKNOWN')), 'UNKNOWN');
  assert.equal(reachabilityOf(finding('UNKNOWN', 'UNREACHABLE')), 'UNREACHABLE');
  assert.equal(reachabilityOf(finding('UNKNOWN', 'UNREACHABLE', 'REACHABLE')), 'REACHABLE');
});

test('a call graph that does not know changes nothing', () => {
  assert.equal(reachabilityOf(finding('REACHABLE', 'UNKNOWN')), 'REACHABLE');
});
