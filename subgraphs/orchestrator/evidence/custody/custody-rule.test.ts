import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rankOf } from '@landfall/attestation/admission/coverage';
import type { StatementState } from '@landfall/attestation/admission/statement-judgement';
import type { Attestation, AttestationKind } from '@landfall/attestation/statements/attestations.store';
import { toId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import fc from 'fast-check';
import type { ImageStatement } from '../images/image-statements.store.ts';
import { type CustodyStepName, custodySteps, type EstateCounts, type Evidence } from './chain.ts';
import { custodyOf } from './custody-rule.ts';

const at = new Date('2026-01-01T00:00:00Z');
const uuid = (n: number): string => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const environment = (n: number) => toId(uuid(n), 'Environment');
const releaseId = toId(uuid(999), 'Release');

const states = ['missing', 'signed', 'proven'] satisfies StatementState[];

/** Builds a statement of the platform: pending, logged, or verified. */
const own = (
  kind: AttestationKind,
  state: StatementState,
  {
    where: location = 1,
    deployment = 1,
    id = 1,
    lastError = null,
  }: { where?: number; deployment?: number; id?: number; lastError?: string | null } = {},
): Attestation => {
  const isThere = state !== 'missing';
  return {
    id: toId(uuid(id), 'Attestation'),
    kind,
    subjectId: uuid(deployment),
    releaseId,
    environmentId: environment(location),
    deploymentId: toId(uuid(deployment), 'Deployment'),
    predicateType: `https://landfall.example/predicates/${kind}@v1`,
    extent: 1,
    payloadDigest: sha256(`${kind} ${id}`),
    createdAt: at,
    keyId: isThere ? 'ab'.repeat(32) : null,
    signedAt: isThere ? at : null,
    timestampedAt: null,
    logOrigin: isThere ? 'landfall.example/log' : null,
    logIndex: isThere ? id : null,
    treeSize: isThere ? id + 1 : null,
    rootHash: isThere ? Buffer.alloc(32) : null,
    attestedAt: isThere ? at : null,
    verifiedAt: state === 'proven' ? at : null,
    refutedAt: null,
    refutedReason: null,
    attempts: 0,
    dueAt: at,
    lastError,
    version: 1,
  };
};

const ofImage = (
  purpose: 'source' | 'build',
  state: StatementState,
  { component = 'web', subject = sha256(component), isForsaken = false } = {},
): ImageStatement => ({
  releaseId,
  component,
  subject,
  statement: sha256(`${component} ${subject} ${state}`),
  purpose,
  predicateType: 'https://slsa.dev/provenance/v1',
  payloadDigest: sha256('payload'),
  summary: 'built by somebody',
  state,
  reason: state === 'proven' ? null : `log: ${state}`,
  signer: null,
  signedBy: state === 'missing' ? null : 'somebody',
  signedAt: null,
  logIndex: state === 'proven' ? '1' : null,
  readAt: at,
  isForsaken,
});

const component = (name: string, ...platforms: readonly string[]) => ({
  name,
  digest: sha256(name),
  platforms: platforms.map((platform) => ({ digest: sha256(platform) })),
});

const counts = (location: number, overrides: Partial<EstateCounts> = {}): EstateCounts => ({
  environmentId: environment(location),
  environmentName: `env ${location}`,
  total: 3,
  drift: 0,
  unobserved: 0,
  ...overrides,
});

const evidence = (overrides: Partial<Evidence> = {}): Evidence => ({
  components: [component('web')],
  reading: { readAt: at, lastError: null, unread: [] },
  statements: [],
  attestations: [],
  estateCounts: [],
  ...overrides,
});

const step = (name: CustodyStepName, overrides: Partial<Evidence>) => {
  const found = custodyOf(evidence(overrides)).find((each) => each.step === name);
  assert.ok(found);
  return found;
};

const stateOf = (name: CustodyStepName, overrides: Partial<Evidence>) => {
  const { state, reason } = step(name, overrides);
  return { state, reason };
};

test('of a release that nobody knows anything of every step is missing, with its reason', () => {
  const steps = custodyOf(evidence({ components: [], reading: undefined }));
  assert.deepEqual(
    steps.map(({ step: name }) => name),
    [...custodySteps],
  );
  for (const { state, reason, statements } of steps) {
    assert.equal(state, 'missing');
    assert.ok(reason);
    assert.deepEqual(statements, []);
  }
});

describe('source and build', () => {
  test('need a statement for each component', () => {
    const components = [component('web'), component('api')];
    const web = ofImage('build', 'proven');
    assert.deepEqual(stateOf('build', { components, statements: [web] }), {
      state: 'missing',
      reason: 'api: no such statement is attached to the image',
    });
    const api = ofImage('build', 'signed', { component: 'api' });
    assert.deepEqual(stateOf('build', { components, statements: [web, api] }), {
      state: 'signed',
      reason: 'api: log: signed',
    });
    assert.equal(stateOf('source', { components, statements: [web, api] }).state, 'missing');
  });

  test('of an index are those of the index, or of each platform', () => {
    const components = [component('web', 'amd64', 'arm64')];
    const platform = (name: string, state: StatementState) => ofImage('build', state, { subject: sha256(name) });
    const buildState = (...statements: readonly ImageStatement[]) => stateOf('build', { components, statements }).state;
    assert.equal(buildState(ofImage('build', 'proven')), 'proven');
    assert.equal(buildState(platform('amd64', 'proven')), 'missing');
    assert.equal(buildState(platform('amd64', 'proven'), platform('arm64', 'signed')), 'signed');
    assert.equal(
      buildState(platform('amd64', 'proven'), platform('arm64', 'missing'), ofImage('build', 'signed')),
      'signed',
    );
  });

  test('lose what somebody signed who is trusted no longer', () => {
    const statements = [ofImage('source', 'proven', { isForsaken: true })];
    const found = step('source', { statements });
    assert.equal(found.state, 'missing');
    assert.match(found.reason ?? '', /trusted no longer/);
    assert.deepEqual([found.statements[0]?.state, found.statements[0]?.verifiedAt], ['missing', null]);
  });

  test('say when nothing was read, and when not everything was', () => {
    const reason = (reading: Evidence['reading']) => stateOf('build', { reading }).reason ?? '';
    assert.match(reason(undefined), /not been read yet/);
    assert.match(reason({ readAt: null, lastError: 'no answer', unread: [] }), /could not be read: no answer/);
    assert.match(reason({ readAt: at, lastError: null, unread: ['x'] }), /a part of what is attached/);
  });
});

describe('our own statements', () => {
  test('are proven by a verification and by nothing else', () => {
    for (const [name, kind] of [
      ['scan', 'evidence'],
      ['approve', 'approval'],
      ['deploy', 'deployment'],
    ] as const)
      for (const state of states) {
        const found = step(name, { attestations: [own(kind, state)] });
        assert.equal(found.state, state, name);
        assert.equal(found.reason === null, state === 'proven');
        assert.equal(found.statements[0]?.attestationId === null, state === 'missing');
      }
  });

  test('of scans cover every component, or the link is missing and says how many are left', () => {
    const components = ['web', 'api'].map((name) => component(name));
    for (const state of states) {
      const whole = step('scan', { components, attestations: [{ ...own('scan', state), extent: 2 }] });
      assert.equal(whole.state, state);
      const partial = step('scan', { components, attestations: [{ ...own('scan', state), extent: 1 }] });
      assert.deepEqual([partial.state, partial.reason], ['missing', '1 of 2 components are not scanned']);
    }
    const newer = [own('evidence', 'proven'), { ...own('scan', 'signed'), extent: 2 }];
    const both = step('scan', { components, attestations: newer });
    assert.deepEqual([both.state, both.statements.length], ['signed', 2], 'recorded evidence replaces no scan');
  });

  test('count for nothing once a verification refuted them, and say what failed', () => {
    const refuted = { refutedAt: at, refutedReason: 'signature-invalid: nobody signed that' };
    for (const [name, kind] of [
      ['scan', 'evidence'],
      ['approve', 'approval'],
      ['deploy', 'deployment'],
    ] as const) {
      const found = step(name, { attestations: [{ ...own(kind, 'signed'), ...refuted }] });
      assert.deepEqual(
        [found.state, found.reason],
        ['missing', 'its verification failed: signature-invalid: nobody signed that'],
      );
      assert.deepEqual([found.statements[0]?.state, found.statements[0]?.reason], [found.state, found.reason]);
      assert.ok(found.statements[0]?.attestationId, 'it can still be looked at, and proved again');
    }
  });

  test('say what their signing or logging failed of', () => {
    const attestations = [own('deployment', 'missing', { lastError: 'the log is not there' })];
    assert.match(stateOf('deploy', { attestations }).reason ?? '', /the log is not there$/);
  });

  test('of an environment are the newest in the log, and one that waits takes nothing away', () => {
    const landed = (state: StatementState, id: number, location = 1) =>
      own('deployment', state, { id, where: location, deployment: id });
    const deploy = (...attestations: readonly Attestation[]) => stateOf('deploy', { attestations }).state;
    assert.equal(deploy(landed('proven', 1), landed('signed', 2)), 'signed');
    assert.equal(deploy(landed('signed', 1), landed('proven', 2)), 'proven');
    assert.equal(deploy(landed('proven', 1), landed('missing', 2)), 'proven');
    assert.equal(deploy(landed('proven', 1), landed('missing', 2, 2)), 'missing');
  });

  test('of the gates count beside an approval, and approve nothing without one', () => {
    const decision = own('verification_summary', 'signed', { id: 2 });
    assert.equal(stateOf('approve', { attestations: [decision] }).state, 'missing');
    assert.equal(stateOf('approve', { attestations: [own('approval', 'proven'), decision] }).state, 'signed');
  });
});

describe('run', () => {
  const attestations = [own('deployment', 'proven'), own('observation', 'proven', { id: 2 })];

  test('is what was seen after the newest landing, while it is still so', () => {
    assert.deepEqual(stateOf('run', { attestations, estateCounts: [counts(1)] }), { state: 'proven', reason: null });
    assert.match(stateOf('run', { attestations }).reason ?? '', /no target carries it/);
  });

  test('is missing on a drift, on silence, and where nobody looked since it landed', () => {
    const missing = (overrides: Partial<Evidence>, reason: RegExp) => {
      const found = stateOf('run', { attestations, ...overrides });
      assert.equal(found.state, 'missing');
      assert.match(found.reason ?? '', reason);
    };
    missing({ estateCounts: [counts(1, { drift: 1, unobserved: 1 })] }, /^env 1: 1 of 3 components drift/);
    missing({ estateCounts: [counts(1, { unobserved: 2 })] }, /^env 1: 2 of 3 components are not observed/);
    missing({ estateCounts: [counts(1), counts(2)] }, /^env 2: it was not seen running/);
    const repeated = own('deployment', 'proven', { id: 3, deployment: 3 });
    missing(
      { estateCounts: [counts(1)], attestations: [...attestations, repeated] },
      /^env 1: it was not seen running/,
    );
  });
});

// Properties over whatever may be known of a release.

const anyState = fc.constantFrom(...states);
const anyAttestation = fc
  .record({
    kind: fc.constantFrom<AttestationKind>('deployment', 'verification_summary', 'approval', 'evidence', 'observation'),
    state: anyState,
    where: fc.integer({ min: 1, max: 3 }),
    deployment: fc.integer({ min: 1, max: 3 }),
    id: fc.integer({ min: 1, max: 50 }),
  })
  .map(({ kind, state, ...location }) => own(kind, state, location));
const anyStatement = fc
  .record({
    purpose: fc.constantFrom('source' as const, 'build' as const),
    state: anyState,
    component: fc.constantFrom('web', 'api'),
    subject: fc.constantFrom('web', 'api', 'amd64', 'arm64').map((name) => sha256(name)),
    isForsaken: fc.boolean(),
  })
  .map(({ purpose, state, ...evidence }) => ofImage(purpose, state, evidence));
const anyEstateCounts = fc
  .record({ drift: fc.integer({ min: 0, max: 2 }), unobserved: fc.integer({ min: 0, max: 1 }) })
  .map((evidence) => evidence);
const anyEvidence = fc.record({
  components: fc.subarray([component('web', 'amd64', 'arm64'), component('api')]),
  reading: fc.option(
    fc.record({
      readAt: fc.option(fc.constant(at)),
      lastError: fc.option(fc.constant('no answer')),
      unread: fc.subarray(['something']),
    }),
    { nil: undefined },
  ),
  statements: fc.array(anyStatement, { maxLength: 12 }),
  attestations: fc.array(anyAttestation, { maxLength: 12 }),
  estateCounts: fc
    .array(anyEstateCounts, { maxLength: 3 })
    .map((all) => all.map((evidence, i) => counts(i + 1, evidence))),
});

const holds = (property: (steps: ReturnType<typeof custodyOf>, given: Evidence) => void): void =>
  fc.assert(
    fc.property(anyEvidence, (given) => property(custodyOf(given), given)),
    { numRuns: 1_000 },
  );

test('a step has a reason unless it is proven, and so has each of its statements', () => {
  holds((steps) => {
    for (const one of [...steps, ...steps.flatMap(({ statements }) => statements)])
      assert.equal(one.reason === null, one.state === 'proven');
  });
});

test('a step of ours is never better than the weakest of its statements', () => {
  holds((steps) => {
    for (const { step: name, state, statements } of steps)
      if (name !== 'source' && name !== 'build')
        for (const each of statements) if (state !== 'missing') assert.ok(rankOf(state) <= rankOf(each.state), name);
  });
});

test('a step of the images is never better than the best of its statements for the weakest component', () => {
  holds((steps, { components }) => {
    for (const { step: name, state, statements } of steps) {
      if (name !== 'source' && name !== 'build') continue;
      for (const { name: own } of components) {
        const best = Math.max(
          0,
          ...statements.filter((each) => each.component === own).map((each) => rankOf(each.state)),
        );
        assert.ok(rankOf(state) <= best, `${name} ${own}`);
      }
    }
  });
});

test('nothing is proven without a verification', () => {
  holds((steps) => {
    for (const { state, statements } of steps) {
      for (const each of statements)
        assert.equal(each.state === 'proven', each.state === 'proven' && each.verifiedAt !== null);
      if (state === 'proven')
        assert.ok(statements.some(({ verifiedAt, logIndex }) => verifiedAt !== null && logIndex !== null));
    }
  });
});

test('what drifts or is silent anywhere is not running as approved', () => {
  holds((steps, { estateCounts }) => {
    const run = steps.find(({ step: name }) => name === 'run');
    if (estateCounts.length === 0 || estateCounts.some(({ drift, unobserved }) => drift + unobserved > 0))
      assert.equal(run?.state, 'missing');
  });
});

test('one more verification never makes a step weaker', () => {
  holds((steps, evidence) => {
    const verified = evidence.attestations.map((each) =>
      each.attestedAt === null ? each : { ...each, verifiedAt: at },
    );
    const after = custodyOf({ ...evidence, attestations: verified });
    for (const [i, { state }] of steps.entries()) assert.ok(rankOf(after[i]?.state ?? 'missing') >= rankOf(state));
  });
});
