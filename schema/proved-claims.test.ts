import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RanTest, unprovedClaims } from './proved-claims.ts';

const claim = { id: '4.9/deployments', path: 'subgraphs/a.test.ts', line: 10 };
const golden = { id: '4.9/release', path: 'rest-compat/golden/orchestrator/release.http', line: 1 };

const ran = (overrides: Partial<RanTest> = {}): RanTest => ({
  file: 'subgraphs/a.test.ts',
  line: 11,
  name: 'it deploys',
  isPassed: true,
  ...overrides,
});
const replay = (isPassed: boolean) =>
  ran({ file: 'rest-compat/testing/golden-files.ts', name: 'orchestrator/release', isPassed });

test('a claim counts only where the test below it ran and passed', () => {
  assert.deepEqual(unprovedClaims([claim], [ran()]), []);
  assert.match(
    unprovedClaims([claim], [ran({ isPassed: false })]).join(),
    /^subgraphs\/a\.test\.ts:10 claims 4\.9\/dep/,
  );
  assert.equal(unprovedClaims([claim], [ran({ line: 9 })]).length, 1, 'a test above it is another one');
  assert.equal(unprovedClaims([claim], [ran({ isPassed: false }), ran({ line: 20 })]).length, 1, 'nor is a later one');
  assert.equal(
    unprovedClaims([claim], [ran(), ran({ name: 'and again', isPassed: false })]).length,
    1,
    'all of a loop',
  );
});

test('a file that passes when it is run again has passed', () => {
  assert.deepEqual(unprovedClaims([claim], [ran({ isPassed: false }), ran()]), []);
});

test('a golden file’s claim counts where each of its replays passed', () => {
  assert.deepEqual(unprovedClaims([golden], [replay(true)]), []);
  assert.equal(unprovedClaims([golden], [replay(false)]).length, 1);
  assert.equal(
    unprovedClaims([golden], [ran({ file: 'rest-compat/testing/golden-files.ts', name: 'another' })]).length,
    1,
  );
});

test('what did not run at all is not judged', () => {
  assert.deepEqual(unprovedClaims([claim, golden], [ran({ file: 'subgraphs/b.test.ts' })]), []);
});
