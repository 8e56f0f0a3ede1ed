import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLabels, parseLabels } from './label-text.ts';

test('labels are read as they are written', () => {
  const labels = [
    { name: 'region', value: 'eu' },
    { name: 'ring', value: '1' },
  ];
  assert.deepEqual(parseLabels(' region=eu,ring=1 '), labels);
  assert.deepEqual(parseLabels(formatLabels(labels)), labels);
  assert.deepEqual(parseLabels(''), []);
});

test('what is no pair of a name and a value is no label', () => {
  for (const text of ['region', 'region=', '=eu', 'a=b=c', 'region=-eu', `region=${'e'.repeat(64)}`])
    assert.equal(parseLabels(text), undefined, text);
});
