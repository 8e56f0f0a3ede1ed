import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedVariables, emptyRow, rowsOf, variablesOf } from './variables.ts';

const plain = (name: string, value: string) => ({ name, value, secret: null });
const secret = (name: string, reference: string) => ({ name, value: null, secret: reference });

test('variables become rows and are the same again', () => {
  const variables = [plain('LOG_LEVEL', ' info'), secret('TOKEN', 'vault:main/shop#token')];
  assert.deepEqual(variablesOf(rowsOf(variables)), variables);
});

test('a new row is like no other', () => {
  const rows = rowsOf([plain('A', '1'), plain('B', '2')]);
  assert.equal(emptyRow(rows).key, 2);
  assert.equal(emptyRow([]).key, 0);
});

test('what changes is told by name, and what stays is not', () => {
  const changes = changedVariables(
    [plain('SAME', '1'), plain('LEVEL', 'info'), plain('OLD', 'x'), plain('KEY', 'plain')],
    [plain('LEVEL', 'debug'), secret('KEY', 'key'), plain('SAME', '1'), plain('ADDED', '')],
  );
  assert.deepEqual(
    changes.map(({ name, kind }) => `${name} ${kind}`),
    ['ADDED added', 'KEY changed', 'LEVEL changed', 'OLD removed'],
  );
});
