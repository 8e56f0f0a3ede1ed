import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evidenceTypes, type ReleaseStatus, releaseStatuses } from '../../shared/enums.ts';
import { missingEvidence } from './missing-evidence.ts';
import {
  changeRefusal,
  clearHoldRefusal,
  deprecateRefusal,
  finalizeRefusal,
  holdRefusal,
  promotableRefusal,
  readyRefusal,
} from './release-rules.ts';

const component = { name: 'web', dependsOn: [] };
const hold = { reason: 'Wait for the review.' };
const move = 'REL_INVALID_STATUS_TRANSITION';

type Codes = Readonly<Record<ReleaseStatus, string | undefined>>;

/** Expected fault of each action in each status, without and with a hold (design 3.1). */
const table: readonly {
  act: string;
  refusal: (status: ReleaseStatus, held: boolean) => string | undefined;
  free: Codes;
  held: Codes;
}[] = [
  {
    act: 'change',
    refusal: (status, isHeld) => changeRefusal({ status, hold: isHeld ? hold : null })?.code,
    free: {
      draft: undefined,
      finalized: 'REL_ALREADY_FINALIZED',
      ready: 'REL_ALREADY_FINALIZED',
      deprecated: 'REL_ALREADY_FINALIZED',
    },
    held: {
      draft: undefined,
      finalized: 'REL_ALREADY_FINALIZED',
      ready: 'REL_ALREADY_FINALIZED',
      deprecated: 'REL_ALREADY_FINALIZED',
    },
  },
  {
    act: 'finalize',
    refusal: (status, isHeld) => finalizeRefusal({ status, hold: isHeld ? hold : null, components: [component] })?.code,
    free: {
      draft: undefined,
      finalized: 'REL_ALREADY_FINALIZED',
      ready: 'REL_ALREADY_FINALIZED',
      deprecated: 'REL_ALREADY_FINALIZED',
    },
    held: {
      draft: undefined,
      finalized: 'REL_ALREADY_FINALIZED',
      ready: 'REL_ALREADY_FINALIZED',
      deprecated: 'REL_ALREADY_FINALIZED',
    },
  },
  {
    act: 'mark ready',
    refusal: (status, isHeld) => readyRefusal({ status, hold: isHeld ? hold : null }, [])?.code,
    free: { draft: move, finalized: undefined, ready: move, deprecated: move },
    held: { draft: move, finalized: 'REL_NOT_READY', ready: move, deprecated: move },
  },
  {
    act: 'mark ready without the evidence',
    refusal: (status, isHeld) => readyRefusal({ status, hold: isHeld ? hold : null }, ['sbom'])?.code,
    free: { draft: move, finalized: 'REL_NOT_READY', ready: move, deprecated: move },
    held: { draft: move, finalized: 'REL_NOT_READY', ready: move, deprecated: move },
  },
  {
    act: 'hold',
    refusal: (status, isHeld) => holdRefusal({ status, hold: isHeld ? hold : null })?.code,
    free: { draft: move, finalized: undefined, ready: undefined, deprecated: move },
    held: { draft: move, finalized: undefined, ready: undefined, deprecated: move },
  },
  {
    act: 'clear the hold',
    refusal: (status, isHeld) => clearHoldRefusal({ status, hold: isHeld ? hold : null })?.code,
    free: { draft: move, finalized: 'RES_CONFLICT', ready: 'RES_CONFLICT', deprecated: move },
    held: { draft: move, finalized: undefined, ready: undefined, deprecated: move },
  },
  {
    act: 'deprecate',
    refusal: (status, isHeld) => deprecateRefusal({ status, hold: isHeld ? hold : null })?.code,
    free: { draft: move, finalized: undefined, ready: undefined, deprecated: move },
    held: { draft: move, finalized: undefined, ready: undefined, deprecated: move },
  },
  {
    act: 'promote',
    refusal: (status, isHeld) => promotableRefusal({ status, hold: isHeld ? hold : null })?.code,
    free: { draft: 'REL_NOT_READY', finalized: 'REL_NOT_READY', ready: undefined, deprecated: 'REL_DEPRECATED' },
    held: { draft: 'REL_NOT_READY', finalized: 'REL_NOT_READY', ready: 'REL_NOT_READY', deprecated: 'REL_DEPRECATED' },
  },
];

for (const { act: run, refusal, free, held: isHeld } of table)
  for (const status of releaseStatuses)
    test(`${run} of a release that is ${status}`, () => {
      assert.equal(refusal(status, false), free[status]);
      assert.equal(refusal(status, true), isHeld[status]);
    });

test('a refused move names where the release is, where it would go, and where it may', () => {
  const { details } = readyRefusal({ status: 'draft', hold: null }, []) ?? {};
  assert.deepEqual(details, { from: 'draft', to: 'ready', allowed: ['finalized'] });
});

test('a release without components, or with a dependency on an absent one, is not finalized', () => {
  const empty = finalizeRefusal({ status: 'draft', hold: null, components: [] });
  assert.equal(empty?.code, 'REL_COMPONENT_MISSING');
  const open = finalizeRefusal({
    status: 'draft',
    hold: null,
    components: [component, { name: 'api', dependsOn: ['web', 'db', 'cache'] }],
  });
  assert.equal(open?.code, 'REL_COMPONENT_MISSING');
  assert.deepEqual(open?.details, { missing: ['cache', 'db'] });
});

test('missing evidence is what the first environments of the path ask for and nobody attached', () => {
  const path = [
    { environment: { requiredEvidence: ['provenance'] as const }, step: { after: ['dev'] } },
    { environment: { requiredEvidence: evidenceTypes }, step: { after: [] } },
    { environment: { requiredEvidence: ['sbom'] as const }, step: { after: [] } },
  ];
  const attached = { evidence: [{ type: 'vex' }, { type: 'sbom' }, { type: 'sbom' }] } as const;
  assert.deepEqual(missingEvidence(attached, path), ['score_proof', 'provenance']);
  assert.deepEqual(missingEvidence({ evidence: [] }, path), evidenceTypes);
  assert.deepEqual(missingEvidence({ evidence: [] }, []), []);
});
