import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFields } from './form-fields.ts';

function read(entries: Readonly<Record<string, string>>) {
  const data = new FormData();
  for (const [name, value] of Object.entries(entries)) data.set(name, value);
  return readFields(data);
}

test('words lose the space around them, and what was left empty is null', () => {
  const { text, maybe } = read({ name: ' web ', notes: '  ' });
  assert.equal(text('name'), 'web');
  assert.equal(maybe('notes'), null);
  assert.equal(maybe('nowhere'), null);
});

test('a number that is none is told under its field, and an empty one is null', () => {
  const { whole: integer, decimal, wrong } = read({ port: '80', size: '1.5', max: '0.05', min: 'low', none: '' });
  assert.deepEqual([integer('port'), decimal('max'), integer('none')], [80, 0.05, null]);
  assert.deepEqual(wrong, []);
  assert.deepEqual([integer('size'), decimal('min')], [null, null]);
  assert.deepEqual(
    wrong.map(({ field, code }) => `${field} ${code}`),
    ['size NO_NUMBER', 'min NO_NUMBER'],
  );
});

test('what the form cannot be sent without is told before it is sent', () => {
  const { need, wrong } = read({ name: 'web' });
  need('name');
  need('orderIndex');
  assert.deepEqual(
    wrong.map(({ field, code }) => `${field} ${code}`),
    ['orderIndex VAL_REQUIRED_FIELD'],
  );
});
