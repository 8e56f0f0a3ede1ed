import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changeStep, draftInOrder } from './path-draft.ts';
import { cycleOf, directEdges, passedBefore } from './path-edges.ts';

const inOrder = draftInOrder(['dev', 'eu', 'us', 'prod'].map((id, index) => ({ id, orderIndex: index * 10 })));
const regions = changeStep(changeStep(inOrder, 'us', { after: ['dev'] }), 'prod', { after: ['eu', 'us'] });

type Step = Parameters<typeof directEdges>[0][number];

const step = (id: string, after: readonly string[], need: Step['need'] = 'ALL'): Step => ({ id, after, need });

const isOpen = ({ after, need }: Step, landed: readonly string[]): boolean =>
  need === 'ANY' && after.length > 0
    ? after.some((id) => landed.includes(id))
    : after.every((id) => landed.includes(id));

/** Lists every set of steps in which a release can have landed verified, by landing it wherever it may. */
const landingSets = (steps: readonly Step[]): string[][] => {
  const found = new Map<string, string[]>([['', []]]);
  for (const landed of found.values())
    for (const next of steps) {
      if (landed.includes(next.id) || !isOpen(next, landed)) continue;
      const after = [...landed, next.id].toSorted();
      found.set(after.join(), after);
    }
  return [...found.values()];
};

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const paths: fc.Arbitrary<Step[]> = fc.tuple(
  ...IDS.map((id, index) =>
    fc
      .tuple(fc.subarray(IDS.slice(0, index)), fc.constantFrom('ALL' as const, 'ANY' as const))
      .map(([after, need]) => step(id, after, need)),
  ),
);

test('a path in order is drawn as a chain, and parallel regions as a fork', () => {
  assert.deepEqual(Object.fromEntries(directEdges(inOrder.steps)), { dev: [], eu: ['dev'], us: ['eu'], prod: ['us'] });
  assert.deepEqual(Object.fromEntries(directEdges(regions.steps)), {
    dev: [],
    eu: ['dev'],
    us: ['dev'],
    prod: ['eu', 'us'],
  });
});

test('a release passes all environments before a step, or those that every way to it has in common', () => {
  const any = changeStep(regions, 'prod', { need: 'ANY' });
  assert.deepEqual([...(passedBefore(regions.steps).get('prod') ?? [])].toSorted(), ['dev', 'eu', 'us']);
  assert.deepEqual([...(passedBefore(any.steps).get('prod') ?? [])], ['dev']);
});

test('the edges of a drawing open each step when the path does, and none of them can be left out', () => {
  fc.assert(
    fc.property(paths, (path) => {
      const direct = directEdges(path);
      const sets = landingSets(path);
      for (const one of path) {
        const opens = (after: readonly string[]) => sets.map((landed) => isOpen({ ...one, after }, landed));
        const after = direct.get(one.id) ?? [];
        assert.deepEqual(opens(after), opens(one.after));
        for (const before of after)
          assert.notDeepEqual(opens(after.filter((other) => other !== before)), opens(after), `${before} is implied`);
      }
    }),
  );
});

test('of any, the step that suffices alone is drawn; of all, one that can be gone around is not left out', () => {
  const suffices = [step('a', []), step('b', ['a']), step('c', ['a', 'b'], 'ANY')];
  assert.deepEqual(directEdges(suffices).get('c'), ['a']);
  const context = [step('a', []), step('x', []), step('b', ['a', 'x'], 'ANY'), step('c', ['a', 'b'])];
  assert.deepEqual(directEdges(context).get('c'), ['a', 'b']);
});

test('a cycle is found, with its steps, and stays in the drawing', () => {
  const cyclic = changeStep(inOrder, 'eu', { after: ['prod'] });
  assert.deepEqual(cycleOf(cyclic.steps).toSorted(), ['eu', 'prod']);
  assert.deepEqual(cycleOf(inOrder.steps), []);
  const drawn = cyclic.steps.map((one) => ({ ...one, after: directEdges(cyclic.steps).get(one.id) ?? [] }));
  assert.ok(cycleOf(drawn).length > 0);
});
