import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promotionStates, type ReleaseStatus } from '../../shared/enums.ts';
import { precedingStage, type RequestCase, requestRefusal } from './request-rule.ts';

const dev = { id: 'dev', name: 'Development', orderIndex: 10 };
const stage = { id: 'stage', name: 'Staging', orderIndex: 20 };
const prod = { id: 'prod', name: 'Production', orderIndex: 30 };
const path = [prod, dev, stage];

const given = (change: Partial<RequestCase> = {}): RequestCase => ({
  release: { id: 'release', status: 'ready', hold: null },
  environment: prod,
  path,
  landed: ['dev', 'stage'],
  promotions: [],
  ...change,
});

test('a ready release goes where it has landed in everything below', () => {
  assert.equal(requestRefusal(given()), undefined);
  assert.equal(requestRefusal(given({ environment: dev, landed: [] })), undefined);
});

test('every environment below counts, and those left out are named', () => {
  const refusal = requestRefusal(given({ landed: ['stage', 'prod'] }));
  assert.equal(refusal?.code, 'PROM_SKIP_ENVIRONMENT');
  assert.deepEqual(refusal?.details, { release: 'release', environment: 'prod', skipped: ['dev'] });
  assert.deepEqual(requestRefusal(given({ landed: [] }))?.details?.skipped, ['dev', 'stage']);
});

test('an open promotion to the same environment is in the way, whatever the path says', () => {
  for (const state of promotionStates) {
    const here = [{ targetEnvironmentId: 'prod', state }];
    const isOpen = state === 'pending' || state === 'approved' || state === 'deploying';
    assert.equal(requestRefusal(given({ promotions: here }))?.code, isOpen ? 'PROM_ALREADY_EXISTS' : undefined);
    assert.equal(
      requestRefusal(given({ promotions: here, landed: [] }))?.code,
      isOpen ? 'PROM_ALREADY_EXISTS' : 'PROM_SKIP_ENVIRONMENT',
    );
    assert.equal(requestRefusal(given({ promotions: [{ targetEnvironmentId: 'stage', state }] })), undefined);
  }
});

test('the standing of the release decides before all else', () => {
  const promotions = [{ targetEnvironmentId: 'prod', state: 'pending' }] as const;
  const code = (status: ReleaseStatus, reason?: string) =>
    requestRefusal(
      given({ release: { id: 'release', status, hold: reason ? { reason } : null }, promotions, landed: [] }),
    )?.code;
  assert.equal(code('draft'), 'REL_NOT_READY');
  assert.equal(code('finalized'), 'REL_NOT_READY');
  assert.equal(code('ready', 'Wait for it.'), 'REL_NOT_READY');
  assert.equal(code('deprecated', 'Wait for it.'), 'REL_DEPRECATED');
});

test('a promotion comes from the environment just before', () => {
  assert.equal(precedingStage(path, prod), stage);
  assert.equal(precedingStage(path, stage), dev);
  assert.equal(precedingStage(path, dev), undefined);
});
