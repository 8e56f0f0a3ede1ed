import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CHANGES } from './changes.ts';
import { outcomeLines } from './import-outcome.ts';

const ended = {
  ...{ kind: 'feeds' as const, state: 'complete' as const, isDryRun: true, missingParts: [] },
  ...{ failureCode: null, failureMessage: null },
};

test('an operator reads which release a kit would stop, where it runs and why', () => {
  const change = { releaseId: 'r', release: 'shop 1.0.0', component: 'api', environments: ['prod', 'staging'] };
  const causes = [{ vulnId: 'CVE-2024-28863', purl: 'pkg:npm/tar@6.1.15', kev: true }];
  const gate = { rule: 'kev', releases: 100, isCut: true, unscanned: 5, changed: 1 };
  const changes = [{ ...change, before: 'pass' as const, after: 'fail' as const, causes }];
  assert.deepEqual(outcomeLines({ ...ended, changes: { ...NO_CHANGES, added: 3, gate: { ...gate, changes } } }), [
    'It would change:',
    'Gate kev: 1 result would change, of 100 releases; there are more releases.',
    'Components without a scan: 5.',
    '  shop 1.0.0, api in prod, staging: passes today, fails after: CVE-2024-28863 (exploited) in pkg:npm/tar@6.1.15',
    'Advisories: 3 new, 0 changed, 0 withdrawn.',
  ]);
});

test('an operator reads that a list is cut, and by how much', () => {
  const cves = Array.from({ length: 200 }, (_, n) => `CVE-2026-${1_000 + n}`);
  const gate = { rule: 'kev', releases: 100, isCut: false, unscanned: 0, changed: 250, changes: [] };
  const changes = { ...NO_CHANGES, newlyExploited: cves, newlyExploitedCount: 1_500, gate };
  const [, , cut, , exploited = ''] = outcomeLines({ ...ended, changes });
  assert.equal(cut, '  and 250 more');
  assert.match(exploited, /^Newly exploited: 1500: CVE-2026-1000, .*CVE-2026-1019 and 1480 more\.$/);
});

test('an operator reads of a kit of a release nothing about advisories', () => {
  const changes = { ...NO_CHANGES, release: 'shop 1.2.0', images: 2, blobs: 1, attestations: 3 };
  assert.deepEqual(outcomeLines({ ...ended, kind: 'release', isDryRun: false, changes }), [
    'It changed:',
    'Release shop 1.2.0: 2 images, 1 blob to send.',
    'Attestations that verified: 3.',
  ]);
});

test('an operator reads why a kit was refused, and which parts it lacks', () => {
  const refused = { ...ended, state: 'failed' as const, failureCode: 'kit_expired', failureMessage: 'It expired.' };
  assert.deepEqual(outcomeLines({ ...refused, changes: null }), ['Refused, kit_expired: It expired.']);
  const waiting = { ...ended, state: 'waiting' as const, missingParts: [2, 3] };
  assert.deepEqual(outcomeLines({ ...waiting, changes: null }), ['Parts are missing: 2, 3.']);
});
