import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TextStore } from './text-store.ts';

const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }).map((value) => value.toWellFormed()));

test('texts are read as they were added, whatever their characters', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, text), { maxLength: 50 }), (rows) => {
      const store = new TextStore();
      const positions = rows.map((row) => store.add(row));
      assert.deepEqual(
        positions.map((position) => [0, 1, 2].map((index) => store.read(position, index))),
        rows,
      );
    }),
  );
});

test('texts that fill chunks of the store, or are larger than one, are read as they were added', () => {
  const store = new TextStore();
  const rows = Array.from({ length: 300 }, (_, n) => [null, 'é'.repeat(n * 30), n === 7 ? 'x'.repeat(2_000_000) : '']);
  const positions = rows.map((row) => store.add(row));
  for (const [n, position] of positions.entries())
    assert.deepEqual(
      [0, 1, 2].map((index) => store.read(position, index)),
      rows[n],
    );
});
