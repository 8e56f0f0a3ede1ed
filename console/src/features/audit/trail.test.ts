import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOf } from './entity-page.ts';
import { inputOf, instantOf, saidOf, summaryOf } from './trail.ts';

test('data is read as names and values, however it was written', () => {
  assert.deepEqual(saidOf('{"state":"APPROVED","by":{"id":"u1"},"roles":["a","b"],"none":[],"n":null}'), [
    { name: 'state', value: 'APPROVED' },
    { name: 'by.id', value: 'u1' },
    { name: 'roles', value: 'a, b' },
    { name: 'n', value: 'null' },
  ]);
  assert.deepEqual(saidOf('{}'), []);
  assert.deepEqual(saidOf(''), []);
  assert.deepEqual(saidOf('plain words'), [{ name: '', value: 'plain words' }]);
  assert.deepEqual(saidOf('[{"a":1}]'), [{ name: '0.a', value: '1' }]);
});

test('a line holds the first three things', () => {
  assert.equal(summaryOf(saidOf('{"a":1,"b":2,"c":3,"d":4}')), 'a: 1 · b: 2 · c: 3');
  const id = '01a2027d-116f-7b66-a384-d97b092e8005';
  assert.equal(
    summaryOf(saidOf(JSON.stringify({ id, why: 'A sentence that is long' }))),
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
  assert.equal(pageOf('User'), '/access/people/$id');
  assert.equal(pageOf('Session'), undefined);
  assert.equal(pageOf('toString'), undefined);
});
