import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entityPage } from './entity-page.ts';
import { dataFields, dataSummary, inputOf, instantOf } from './event-data.ts';

test('data is read as names and values, however it was written', () => {
  assert.deepEqual(dataFields('{"state":"APPROVED","by":{"id":"u1"},"roles":["a","b"],"none":[],"n":null}'), [
    { name: 'state', value: 'APPROVED' },
    { name: 'by.id', value: 'u1' },
    { name: 'roles', value: 'a, b' },
    { name: 'n', value: 'null' },
  ]);
  assert.deepEqual(dataFields('{}'), []);
  assert.deepEqual(dataFields(''), []);
  assert.deepEqual(dataFields('plain words'), [{ name: '', value: 'plain words' }]);
  assert.deepEqual(dataFields('[{"a":1}]'), [{ name: '0.a', value: '1' }]);
});

test('a line holds the first three things', () => {
  assert.equal(dataSummary(dataFields('{"a":1,"b":2,"c":3,"d":4}')), 'a: 1 · b: 2 · c: 3');
  const id = '01a2027d-116f-7b66-a384-d97b092e8005';
  assert.equal(
    dataSummary(dataFields(JSON.stringify({ id, why: 'A sentence that is long' }))),
    'id: …092e8005 · why: A sentence that is long',
  );
});

test('an instant goes into the input and comes back the same', () => {
  assert.equal(instantOf('2026-11-22T08:00'), '2026-11-22T08:00:00.000Z');
  assert.equal(inputOf('2026-11-22T08:00:00.000Z'), '2026-11-22T08:00');
  assert.equal(instantOf(''), undefined);
  assert.equal(instantOf('yesterday'), undefined);
  assert.equal(inputOf('yesterday'), '');
  assert.equal(inputOf(undefined), '');
});

test('what has a page is led to, and nothing else', () => {
  assert.equal(entityPage('User'), '/access/people/$id');
  assert.equal(entityPage('Session'), undefined);
  assert.equal(entityPage('toString'), undefined);
});
