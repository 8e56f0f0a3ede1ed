import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CHANGES } from './changes.ts';
import { outcomeLines } from './import-outcome.ts';

const ended = { state: 'complete' as const, isDryRun: true, missingParts: [], failureCode: null, failureMessage: null };

test('an operator reads which release a kit would stop, where it runs and why', () => {
  const change = { releaseId: 'r', release: 'shop 1.0.0', component: 'api', environments: ['prod', 'staging'] };
  const causes = [{ vulnId: 'CVE-2024-28863', purl: 'pkg:npm/tar@6.1.15', kev: true }];
  const gate = { rule: 'kev', releases: 100, isCut: true, unscanned: 5, changed: 1 };
  const changes = [{ ...change, before: 'pass' as const, after: 'fail' as const, causes }];
  assert.deepEqual(outcomeLines({ ...ended, changes: { ...NO_CHANGES, added: 3, gate: { ...gate, changes } } }), [
    'It would change:',
    'Advisories: 3 new, 0 changed, 0 withdrawn.',
    'Gate kev: 1 result would change, of 100 releases; there are more releases.',
    'Components without a scan: 5.',
    '  shop 1.0.0, api in prod, staging: passes today, fails after: CVE-2024-28863 (exploited) in pkg:npm/tar@6.1.15',
  ]);
});

test('an operator reads why a kit was refused, and which parts it lacks', () => {
  const refused = { ...ended, state: 'failed' as const, failureCode: 'kit_expired', failureMessage: 'It expired.' };
  assert.deepEqual(outcomeLines({ ...refused, changes: null }), ['Refused, kit_expired: It expired.']);
  const waiting = { ...ended, state: 'waiting' as const, missingParts: [2, 3] };
  assert.deepEqual(outcomeLines({ ...waiting, changes: null }), ['Parts are missing: 2, 3.']);
});
