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

const own = (ref: string, allowed = true, state: CustodyState = 'SIGNED') =>
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

const steps = (...states: CustodyState[]) => states.map((state, index) => ({ state, step: NAMES[index] ?? 'RUN' }));

test('the link that can be proven here is opened first, then one that is missing, then the landing', () => {
  const first = (...states: CustodyState[]) =>
    firstToOpen(
      steps(...states).map((step) => ({ ...step, statements: [step.step === 'DEPLOY' ? own('r') : statement()] })),
    )?.step;
  assert.equal(first('MISSING', 'PROVEN', 'SIGNED'), 'DEPLOY');
  assert.equal(first('SIGNED', 'MISSING', 'PROVEN'), 'BUILD');
  assert.equal(first('SIGNED', 'PROVEN', 'PROVEN'), 'DEPLOY');
});

test('a line is broken before and after a link that is missing', () => {
  const chain = steps('PROVEN', 'SIGNED', 'MISSING', 'PROVEN');
  assert.deepEqual(
    chain.map((_, index) => connectorAfter(chain, index)),
    ['proven', 'broken', 'broken', 'broken'],
  );
  assert.equal(connectorAfter(steps('SIGNED', 'PROVEN'), 0), 'signed');
});

test('a statement is named by our reference, or by whose it is and its digest', () => {
  const web = statement({ component: 'web', digest: 'sha256:aa' });
  assert.deepEqual(
    namedStatements([own('r1'), web, statement(), web]).map(({ name }) => name),
    ['r1', 'web sha256:aa', 'https://slsa.dev/provenance/v1', 'web sha256:aa 2'],
  );
});

test('the weakest statement is looked at unless the address names another', () => {
  const all = [own('proven', true, 'PROVEN'), own('signed'), own('other')];
  assert.equal(statementToOpen(all, undefined)?.name, 'signed');
  assert.equal(statementToOpen(all, 'other')?.name, 'other');
  assert.equal(statementToOpen(all, 'no such thing')?.name, 'signed');
  assert.equal(statementToOpen([], undefined), undefined);
});

test('proving a link leaves out what is proven, unless all of it is, or it is looked at', () => {
  const refs = (...statements: CustodyStatementFragment[]) => provableStatements({ statements }).map(({ ref }) => ref);
  const withOpen = provableStatements(
    { statements: [own('a', true, 'PROVEN'), own('b'), own('c', true, 'PROVEN')] },
    'c',
  );
  assert.deepEqual(
    withOpen.map(({ ref }) => ref),
    ['b', 'c'],
  );
  assert.deepEqual(refs(own('a', true, 'PROVEN'), own('b')), ['b']);
  assert.deepEqual(refs(own('a', true, 'PROVEN'), own('b', true, 'PROVEN')), ['a', 'b']);
  assert.deepEqual(refs(statement(), own('c', false)), []);
});

test('the rule of a link is that of a statement which the reader may not prove', () => {
  assert.equal(proofRule({ statements: [own('a'), own('b', false)] })?.code, 'PERM_SCOPE_DENIED');
  assert.equal(proofRule({ statements: [own('a'), statement()] }), undefined);
});

test('links are told apart by how far they are', () => {
  const { PROVEN, SIGNED, MISSING } = linksByState(steps('PROVEN', 'SIGNED', 'PROVEN'));
  assert.deepEqual([PROVEN.length, SIGNED.length, MISSING.length], [2, 1, 0]);
});
