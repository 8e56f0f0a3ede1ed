import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustodyState, CustodyStatementFragment, CustodyStepName } from '../../generated/operations.ts';
import {
  connectorAfter,
  firstToOpen,
  linksByState,
  namedStatements,
  proofRule,
  provableStatements,
  statementToOpen,
} from './custody-chain.ts';

const statement = (change: Partial<CustodyStatementFragment> = {}): CustodyStatementFragment => ({
  __typename: 'CustodyStatement',
  state: 'SIGNED',
  predicateType: 'https://slsa.dev/provenance/v1',
  summary: 'built',
  component: null,
  environment: null,
  deployment: null,
  signer: null,
  signedBy: null,
  signedAt: null,
  digest: null,
  logIndex: null,
  verifiedAt: null,
  reason: null,
  attestation: null,
  ...change,
});

const ours = (ref: string, allowed = true, state: CustodyState = 'SIGNED') =>
  statement({
    state,
    attestation: {
      __typename: 'Attestation',
      ref,
      viewerCanProve: {
        __typename: 'Permission',
        allowed,
        code: allowed ? null : 'PERM_SCOPE_DENIED',
        reason: allowed ? null : 'Your role needs orch:operate.',
      },
    },
  });

const NAMES: readonly CustodyStepName[] = ['SOURCE', 'BUILD', 'DEPLOY'];

const steps = (...states: CustodyState[]) => states.map((state, at) => ({ state, step: NAMES[at] ?? 'RUN' }));

test('the link that can be proven here is opened first, then one that is missing, then the landing', () => {
  const first = (...states: CustodyState[]) =>
    firstToOpen(
      steps(...states).map((step) => ({ ...step, statements: [step.step === 'DEPLOY' ? ours('r') : statement()] })),
    )?.step;
  assert.equal(first('MISSING', 'PROVEN', 'SIGNED'), 'DEPLOY');
  assert.equal(first('SIGNED', 'MISSING', 'PROVEN'), 'BUILD');
  assert.equal(first('SIGNED', 'PROVEN', 'PROVEN'), 'DEPLOY');
});

test('a line is broken before and after a link that is missing', () => {
  const chain = steps('PROVEN', 'SIGNED', 'MISSING', 'PROVEN');
  assert.deepEqual(
    chain.map((_, at) => connectorAfter(chain, at)),
    ['proven', 'broken', 'broken', 'broken'],
  );
  assert.equal(connectorAfter(steps('SIGNED', 'PROVEN'), 0), 'signed');
});

test('a statement is named by our reference, or by whose it is and its digest', () => {
  const web = statement({ component: 'web', digest: 'sha256:aa' });
  assert.deepEqual(
    namedStatements([ours('r1'), web, statement(), web]).map(({ name }) => name),
    ['r1', 'web sha256:aa', 'https://slsa.dev/provenance/v1', 'web sha256:aa 2'],
  );
});

test('the weakest statement is looked at unless the address names another', () => {
  const all = [ours('proven', true, 'PROVEN'), ours('signed'), ours('other')];
  assert.equal(statementToOpen(all, undefined)?.name, 'signed');
  assert.equal(statementToOpen(all, 'other')?.name, 'other');
  assert.equal(statementToOpen(all, 'no such thing')?.name, 'signed');
  assert.equal(statementToOpen([], undefined), undefined);
});

test('proving a link leaves out what is proven, unless all of it is, or it is looked at', () => {
  const refs = (...statements: CustodyStatementFragment[]) => provableStatements({ statements }).map(({ ref }) => ref);
  const withOpen = provableStatements(
    { statements: [ours('a', true, 'PROVEN'), ours('b'), ours('c', true, 'PROVEN')] },
    'c',
  );
  assert.deepEqual(
    withOpen.map(({ ref }) => ref),
    ['b', 'c'],
  );
  assert.deepEqual(refs(ours('a', true, 'PROVEN'), ours('b')), ['b']);
  assert.deepEqual(refs(ours('a', true, 'PROVEN'), ours('b', true, 'PROVEN')), ['a', 'b']);
  assert.deepEqual(refs(statement(), ours('c', false)), []);
});

test('the rule of a link is that of a statement which the reader may not prove', () => {
  assert.equal(proofRule({ statements: [ours('a'), ours('b', false)] })?.code, 'PERM_SCOPE_DENIED');
  assert.equal(proofRule({ statements: [ours('a'), statement()] }), undefined);
});

test('links are told apart by how far they are', () => {
  const { PROVEN, SIGNED, MISSING } = linksByState(steps('PROVEN', 'SIGNED', 'PROVEN'));
  assert.deepEqual([PROVEN.length, SIGNED.length, MISSING.length], [2, 1, 0]);
});
