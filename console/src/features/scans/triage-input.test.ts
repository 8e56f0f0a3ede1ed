import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFields } from '../../lib/form-fields.ts';
import {
  expiriesOf,
  type TriageChoices,
  triageInput,
  triageProblems,
  typedInstant,
  typedText,
  withStatus,
} from './triage-input.ts';

const finding = { vulnId: 'CVE-2026-1000', purl: 'pkg:npm/gate@1.1.0' };
const now = new Date('2026-11-27T10:00:00Z');
const messages = { expiry: 'no day', justification: 'no ground', reason: 'no reason' };

const submit = (choices: TriageChoices, texts: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, text] of Object.entries(texts)) data.set(name, text);
  const fields = readFields(data);
  const input = triageInput(finding, choices, fields, { now, messages });
  return { input, wrong: fields.wrong.map(({ field, message }) => [field, message]) };
};

const reason = 'The parser is never called.';

test('a decision about a component names it, and one about a product its id', () => {
  const justification = 'COMPONENT_NOT_PRESENT';
  const { input, wrong } = submit(
    { status: 'NOT_AFFECTED', scope: 'COMPONENT', expiry: 'NEVER' },
    { reason, justification, productId: 'p1' },
  );
  assert.deepEqual(wrong, []);
  assert.deepEqual(input, {
    vulnerabilityId: 'CVE-2026-1000',
    scope: 'COMPONENT',
    component: 'pkg:npm/gate@1.1.0',
    status: 'NOT_AFFECTED',
    justification,
    reason,
  });
  const other = submit({ status: 'FIXING', scope: 'PRODUCT', expiry: 'NEVER' }, { reason, productId: 'p1' });
  assert.deepEqual(other.input, {
    vulnerabilityId: 'CVE-2026-1000',
    scope: 'PRODUCT',
    productId: 'p1',
    status: 'FIXING',
    reason,
  });
});

test('not affected needs a justification or an impact statement, and no other status sends either', () => {
  const choices = { status: 'NOT_AFFECTED', scope: 'TENANT', expiry: 'NEVER' } as const;
  assert.deepEqual(submit(choices, { reason, justification: '' }).wrong, [['justification', 'no ground']]);
  const stated = submit(choices, { reason, justification: '', impactStatement: 'It is behind a gate.' });
  assert.deepEqual([stated.wrong, stated.input.impactStatement], [[], 'It is behind a gate.']);
  const { input } = submit(
    { ...choices, status: 'FALSE_POSITIVE' },
    { reason, justification: 'COMPONENT_NOT_PRESENT' },
  );
  assert.ok(!('justification' in input));
});

test('a decision ends after a number of days, on a typed day in UTC, or never', () => {
  const choices = { status: 'ACCEPTED', scope: 'TENANT' } as const;
  assert.equal(submit({ ...choices, expiry: '30' }, { reason }).input.expiresAt, '2026-12-27T10:00:00.000Z');
  const day = submit({ ...choices, expiry: 'DAY' }, { reason, expiresAt: '2027-01-31T08:30' });
  assert.deepEqual([day.wrong, day.input.expiresAt], [[], '2027-01-31T08:30:00.000Z']);
  assert.deepEqual(submit({ ...choices, expiry: 'DAY' }, { reason, expiresAt: '' }).wrong, [['expiresAt', 'no day']]);
  assert.equal(typedInstant('soon'), undefined);
  assert.deepEqual([typedText('2027-01-31T08:30:59Z'), typedText(null)], ['2027-01-31T08:30', '']);
});

test('an accepted risk always ends: a choice that lets it last becomes 90 days', () => {
  assert.ok(!expiriesOf('ACCEPTED').includes('NEVER'));
  const choices = { status: 'FIXING', scope: 'TENANT', expiry: 'NEVER' } as const;
  assert.equal(withStatus(choices, 'ACCEPTED').expiry, '90');
  assert.equal(withStatus({ ...choices, expiry: '7' }, 'ACCEPTED').expiry, '7');
  assert.equal(withStatus(choices, 'FALSE_POSITIVE').expiry, 'NEVER');
});

test('a missing reason is marked, and what the form has no field for is shown in its scope', () => {
  assert.deepEqual(submit({ status: 'FIXING', scope: 'TENANT', expiry: 'NEVER' }, {}).wrong, [['reason', 'no reason']]);
  const problem = { message: 'has no version', code: 'VAL_INVALID_VALUE' };
  assert.deepEqual(
    triageProblems(['component', 'vulnerabilityId', 'reason'].map((field) => ({ field, ...problem }))).map(
      ({ field }) => field,
    ),
    ['scope', 'scope', 'reason'],
  );
});
