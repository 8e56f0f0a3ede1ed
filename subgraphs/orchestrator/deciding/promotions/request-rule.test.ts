import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promotionStates, type ReleaseStatus } from '../../shared/enums.ts';
import { type RequestCase, requestRefusal } from './request-rule.ts';

const dev = { id: 'dev', name: 'Development', requiredEvidence: [] };
const stage = { id: 'stage', name: 'Staging', requiredEvidence: [] };
const prod = { id: 'prod', name: 'Production', requiredEvidence: [] };
const steps: RequestCase['steps'] = [
  { environment: dev, step: { after: [], need: 'all' } },
  { environment: stage, step: { after: ['dev'], need: 'all' } },
  { environment: prod, step: { after: ['dev', 'stage'], need: 'all' } },
];

const overrides = (change: Partial<RequestCase> = {}): RequestCase => ({
  release: { id: 'release', name: 'shop', status: 'ready', hold: null, evidence: [] },
  environment: prod,
  steps,
  landed: ['dev', 'stage'],
  promotions: [],
  ...change,
});

test('a ready release goes where it has landed in everything below', () => {
  assert.equal(requestRefusal(overrides()), undefined);
  assert.equal(requestRefusal(overrides({ environment: dev, landed: [] })), undefined);
});

test('every environment below counts, and those left out are named', () => {
  const refusal = requestRefusal(overrides({ landed: ['stage', 'prod'] }));
  assert.equal(refusal?.code, 'PROM_SKIP_ENVIRONMENT');
  assert.deepEqual(refusal?.details, { release: 'release', environment: 'prod', skipped: ['dev'] });
  assert.deepEqual(requestRefusal(overrides({ landed: [] }))?.details?.skipped, ['dev', 'stage']);
});

test('an open promotion to the same environment is in the way, whatever the path says', () => {
  for (const state of promotionStates) {
    const own = [{ targetEnvironmentId: 'prod', state }];
    const isOpen = state === 'pending' || state === 'approved' || state === 'deploying';
    assert.equal(requestRefusal(overrides({ promotions: own }))?.code, isOpen ? 'PROM_ALREADY_EXISTS' : undefined);
    assert.equal(
      requestRefusal(overrides({ promotions: own, landed: [] }))?.code,
      isOpen ? 'PROM_ALREADY_EXISTS' : 'PROM_SKIP_ENVIRONMENT',
    );
    assert.equal(requestRefusal(overrides({ promotions: [{ targetEnvironmentId: 'stage', state }] })), undefined);
  }
});

test('the standing of the release decides before all else', () => {
  const promotions = [{ targetEnvironmentId: 'prod', state: 'pending' }] as const;
  const code = (status: ReleaseStatus, reason?: string) =>
    requestRefusal(
      overrides({
        release: { id: 'release', name: 'shop', status, hold: reason ? { reason } : null, evidence: [] },
        promotions,
        landed: [],
      }),
    )?.code;
  assert.equal(code('draft'), 'REL_NOT_READY');
  assert.equal(code('finalized'), 'REL_NOT_READY');
  assert.equal(code('ready', 'Wait for it.'), 'REL_NOT_READY');
  assert.equal(code('deprecated', 'Wait for it.'), 'REL_DEPRECATED');
});

test('a step that needs any of its environments is open once one of them has landed', () => {
  const regions: RequestCase['steps'] = [
    ...steps.slice(0, 2),
    { environment: prod, step: { after: ['dev', 'stage'], need: 'any' } },
  ];
  assert.equal(requestRefusal(overrides({ steps: regions, landed: ['stage'] })), undefined);
  const refusal = requestRefusal(overrides({ steps: regions, landed: [] }));
  assert.equal(refusal?.message, 'The release has not landed verified in any of Development, Staging.');
});

test('an environment that is not on the path of the product is refused, with the product', () => {
  const refusal = requestRefusal(overrides({ steps: steps.slice(0, 2) }));
  assert.equal(refusal?.code, 'PROM_SKIP_ENVIRONMENT');
  assert.equal(refusal?.message, 'Production is not on the path of shop.');
});

test('a later environment requires its own evidence, after all else', () => {
  const environment = { ...prod, requiredEvidence: ['sbom', 'vex'] as const };
  const release = { id: 'release', name: 'shop', status: 'ready', hold: null, evidence: [{ type: 'sbom' }] } as const;
  const refusal = requestRefusal(overrides({ environment, release }));
  assert.equal(refusal?.code, 'REL_NOT_READY');
  assert.equal(refusal?.message, 'The release lacks evidence for Production: vex.');
  assert.deepEqual(refusal?.details, { missingEvidence: ['vex'], environment: 'prod' });
  assert.equal(requestRefusal(overrides({ environment, release, landed: [] }))?.code, 'PROM_SKIP_ENVIRONMENT');
  const complete = { ...release, evidence: [{ type: 'vex' }, { type: 'sbom' }] } as const;
  assert.equal(requestRefusal(overrides({ environment, release: complete })), undefined);
});
