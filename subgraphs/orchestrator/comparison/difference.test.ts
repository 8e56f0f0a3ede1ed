import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Change, componentDifference, type Difference, variableDifference } from './difference.ts';

const name = fc.constantFrom('api', 'db', 'web', 'worker', 'Ω', '__proto__', 'constructor');
const image = fc.record({
  name,
  repository: fc.constantFrom('r.example/a', 'r.example/b'),
  requestedTag: fc.constantFrom(null, '1.0.0', '1.1.0'),
  digest: fc.constantFrom(null, 'sha256:a', 'sha256:b'),
});
/** As `fc.record`, of plain objects only. */
const record = <Fields extends object>(fields: { readonly [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) =>
  fc.record(fields, { noNullPrototype: true });
const filled = fc.oneof(
  record({ name, value: fc.constantFrom('', 'one', 'two'), secret: fc.constant(null) }),
  record({ name, value: fc.constant(null), secret: fc.constantFrom('key', 'vault:main/a#b') }),
);
const listOf = <Item extends { readonly name: string }>(item: fc.Arbitrary<Item>) =>
  fc.uniqueArray(item, { selector: (each) => each.name });
const images = listOf(image);
const variables = listOf(filled);

interface Named {
  readonly name: string;
}

/** Applies changes to a list: what the other side must be. */
const applied = <Item extends Named>(from: readonly Item[], changes: readonly Change<Item>[]): Item[] => {
  const byName = new Map(from.map((item) => [item.name, item]));
  for (const change of changes)
    if (change.to) byName.set(change.name, change.to);
    else byName.delete(change.name);
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const opposite = { added: 'removed', removed: 'added', changed: 'changed', unknown: 'unknown' } as const;

const reversed = <Item>({ changes, unchanged }: Difference<Item>): Difference<Item> => ({
  unchanged,
  changes: changes.map((change) => ({
    name: change.name,
    kind: opposite[change.kind],
    from: change.to,
    to: change.from,
  })),
});

test('every name is a change or unchanged, once, and changes come in order of their names', () => {
  fc.assert(
    fc.property(images, images, (from, to) => {
      const { changes, unchanged } = componentDifference(from, to);
      const names = changes.map((change) => change.name);
      assert.deepEqual(names, [...new Set(names)].sort());
      assert.equal(names.length + unchanged, new Set([...from, ...to].map((each) => each.name)).size);
    }),
  );
});

test('compared the other way round, added and removed change places and nothing else does', () => {
  fc.assert(
    fc.property(images, images, (from, to) =>
      assert.deepEqual(componentDifference(to, from), reversed(componentDifference(from, to))),
    ),
  );
  fc.assert(
    fc.property(variables, variables, (from, to) =>
      assert.deepEqual(variableDifference(to, from), reversed(variableDifference(from, to))),
    ),
  );
});

test('the changes turn the variables of one side into those of the other', () => {
  fc.assert(
    fc.property(variables, variables, (from, to) =>
      assert.deepEqual(applied(from, variableDifference(from, to).changes), applied(to, [])),
    ),
  );
});

test('the changes turn the images of one side into those of the other', () => {
  const resolved = listOf(
    fc.record({ name, repository: fc.constant('r.example/a'), digest: fc.constantFrom('a', 'b') }),
  );
  const tagged = (items: readonly { readonly name: string; readonly repository: string; readonly digest: string }[]) =>
    items.map((item) => ({ ...item, requestedTag: null }));
  fc.assert(
    fc.property(resolved.map(tagged), resolved.map(tagged), (from, to) =>
      assert.deepEqual(applied(from, componentDifference(from, to).changes), applied(to, [])),
    ),
  );
});

test('a side compared with itself differs in nothing that is resolved', () => {
  fc.assert(
    fc.property(images, (side) => {
      const { changes } = componentDifference(side, side);
      assert.deepEqual(
        changes.map((change) => [change.name, change.kind]),
        side
          .filter(({ digest }) => digest === null)
          .map((each) => [each.name, 'unknown'])
          .sort(),
      );
    }),
  );
  fc.assert(fc.property(variables, (side) => assert.deepEqual(variableDifference(side, side).changes, [])));
});

interface Image extends Named {
  readonly repository: string;
  readonly requestedTag: string;
  readonly digest: string | null;
}

const web: Image = { name: 'web', repository: 'r.example/web', requestedTag: '1.0.0', digest: 'sha256:a' };
const kinds: readonly (readonly [what: string, to: Partial<Image>, kind: string | undefined])[] = [
  ['another digest', { digest: 'sha256:b' }, 'changed'],
  ['another tag of the same digest', { requestedTag: '1.0.1' }, undefined],
  ['the same digest in another repository', { repository: 'r.example/other' }, 'changed'],
  ['a digest that is not resolved yet, of the same tag', { digest: null }, 'unknown'],
  ['a digest that is not resolved yet, of another tag', { digest: null, requestedTag: '1.0.1' }, 'changed'],
];
for (const [name, to, kind] of kinds)
  test(`${name} is ${kind ?? 'no change'}`, () => {
    const { changes } = componentDifference([web], [{ ...web, ...to }]);
    assert.equal(changes[0]?.kind, kind);
  });
