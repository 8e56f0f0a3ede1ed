import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Confidence, Coverage } from './call-graph.ts';
import { createReachabilityJudge } from './finding-reachability.ts';
import { buildSketch } from './testing/graphs.ts';

const judge = (confidence: Confidence | undefined, coverage: Partial<Coverage> = {}) => {
  const call = confidence === undefined ? [] : ([['main', 'lib/bad', confidence]] as const);
  const edges = [...call, ['main', 'lib/good'], ['other/x', 'other/y']] as const;
  return createReachabilityJudge(buildSketch({ edges, entries: ['main'], sinks: ['lib/bad'], coverage }));
};
const bad = { purl: 'pkg:npm/lib@1.0.0', vulnerabilityIds: ['GHSA-x', 'CVE-lib/bad'] };

test('a vulnerable symbol reached by static calls makes a finding reachable, a weaker path potentially so', () => {
  const { reachability, symbol } = judge('static')(bad);
  assert.deepEqual([reachability, symbol], ['reachable', 'node|pkg:npm/lib||bad|']);
  assert.equal(judge('dynamic-dispatch')(bad).reachability, 'potentially_reachable');
  assert.equal(judge('reflective-guess')(bad).confidence, 'reflective-guess');
});

test('a finding is unreachable only where the analysis of its package is complete', () => {
  assert.equal(judge(undefined)(bad).reachability, 'unreachable');
  assert.equal(judge(undefined, { complete: false })(bad).reachability, 'unknown');
  assert.equal(judge(undefined, { incompletePackages: ['pkg:npm/lib'] })(bad).reachability, 'unknown');
  assert.equal(judge(undefined, { incompletePackages: ['pkg:npm/other'] })(bad).reachability, 'unreachable');
});

test('without known symbols a reached package is potentially reachable and any other unknown', () => {
  const statement = (purl: string) => judge(undefined)({ purl, vulnerabilityIds: ['CVE-x'] }).reachability;
  assert.equal(statement('pkg:npm/lib@2'), 'potentially_reachable');
  assert.equal(statement('pkg:npm/other@2'), 'unknown');
  assert.equal(statement('pkg:npm/absent'), 'unknown');
});

test('a vulnerable symbol of another package says nothing on a finding', () => {
  assert.equal(judge('static')({ ...bad, purl: 'pkg:npm/other' }).reachability, 'unknown');
});
