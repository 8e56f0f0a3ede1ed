import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAliasGroups } from './alias-groups.ts';

const groupsOver = (existing: ReadonlyMap<string, number> = new Map()) => {
  let last = Math.max(0, ...existing.values());
  return createAliasGroups(existing, () => ++last);
};

test('an alias that joins two groups leaves the older number, and the younger group points to it', () => {
  const groups = groupsOver(
    new Map([
      ['GHSA-a', 7],
      ['PYSEC-1', 3],
    ]),
  );
  assert.equal(groups.join(['CVE-2026-1', 'GHSA-a']), 7);
  assert.equal(groups.join(['CVE-2026-1', 'PYSEC-1']), 3);
  assert.deepEqual([...groups.changes().assigned], [['CVE-2026-1', 3]]);
  assert.deepEqual([...groups.changes().joined], [[7, 3]]);
  assert.equal(groups.groupOf('GHSA-a'), 3);
});

test('ids that no alias connects are in groups of their own', () => {
  const groups = groupsOver();
  assert.notEqual(groups.join(['CVE-2026-1']), groups.join(['CVE-2026-2']));
  assert.equal(groups.groupOf('CVE-2026-3'), undefined);
});

test('the members of groups do not depend on the order of records', () => {
  const id = fc.integer({ min: 0, max: 12 }).map((number) => `CVE-${number}`);
  const records = fc.array(fc.array(id, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 });
  const membersAfter = (sets: readonly (readonly string[])[]) => {
    const groups = groupsOver();
    for (const ids of sets) groups.join(ids);
    const ids = [...new Set(sets.flat())].toSorted();
    return ids.map((one) => ids.filter((other) => groups.groupOf(other) === groups.groupOf(one)));
  };
  fc.assert(
    fc.property(records, fc.infiniteStream(fc.nat()), (sets, numbers) => {
      const shuffled = sets
        .map((ids) => ({ ids, at: numbers.next().value ?? 0 }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ ids }) => ids);
      assert.deepEqual(membersAfter(shuffled), membersAfter(sets));
    }),
  );
});

test('every joined group points straight to the oldest of its members', () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(numbers, (given) => {
      const groups = groupsOver(new Map(given.map((number) => [`X-${number}`, number])));
      for (const [index, number] of given.entries()) groups.join([`X-${number}`, `X-${given[index + 1] ?? number}`]);
      const oldest = Math.min(...given);
      assert.deepEqual(
        [...groups.changes().joined].toSorted(([a], [b]) => a - b),
        given
          .filter((number) => number !== oldest)
          .toSorted((a, b) => a - b)
          .map((number) => [number, oldest]),
      );
    }),
  );
});
