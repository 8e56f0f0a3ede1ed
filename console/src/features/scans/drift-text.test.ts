import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeText, pathSteps } from './drift-text.ts';

const key = (name: string) => `node|pkg:npm/app||${name}|`;

test('the cause of a drift is a sentence about the two symbols of the call', () => {
  const cause = { kind: 'EDGE_ADDED', symbol: key('render'), caller: key('main') } as const;
  assert.equal(causeText(cause), 'main now calls render.');
  assert.equal(causeText({ kind: 'ENTRY_REMOVED', symbol: key('main'), caller: null }), 'main is no entry any more.');
});

test('a path marks the symbol of its cause and counts the symbols that it leaves out', () => {
  const cause = { kind: 'SYMBOL_ADDED', symbol: key('sink'), caller: key('main') } as const;
  const path = [
    { symbol: key('main'), elided: null },
    { symbol: null, elided: 3 },
    { symbol: key('sink'), elided: null },
  ];
  assert.deepEqual(pathSteps(path, cause), [
    { key: '0', name: 'main', place: 'npm/app', isMarked: false },
    { key: '1', name: '3 functions', isElided: true },
    { key: '2', name: 'sink', place: 'npm/app', isMarked: true },
  ]);
});
