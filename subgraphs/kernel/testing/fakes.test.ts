import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixedClock } from './clock.ts';
import { seededIds } from './ids.ts';

test('a fixed clock moves only when told, and hands out instants that cannot change it', () => {
  const clock = fixedClock('2026-03-01T00:00:00.000Z');
  clock.now().setFullYear(1999);
  assert.equal(clock.now().toISOString(), '2026-03-01T00:00:00.000Z');
  clock.advance(1_500);
  assert.equal(clock.now().toISOString(), '2026-03-01T00:00:01.500Z');
});

test('seeded ids repeat by seed, ascend, and are version 7 UUIDs', () => {
  const [one, two, other] = [seededIds('a'), seededIds('a'), seededIds('b')];
  const first = Array.from({ length: 50 }, () => one.uuid());
  assert.deepEqual(
    Array.from({ length: 50 }, () => two.uuid()),
    first,
  );
  assert.deepEqual(first.toSorted(), first);
  assert.notEqual(other.uuid(), first[0]);
  for (const id of first) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
