import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toId } from '@landfall/kernel/core/ids';
import fc from 'fast-check';
import { evidenceTypes, separations } from '../../shared/enums.ts';
import { cycleOf, defaultPath, directEdges, missingBefore, type Path, type PathStep } from './path.ts';
import { componentsRefusal, missingComponents, removeRefusal } from './product-rules.ts';
import { relaxedSettings, withPolicy } from './step-policy.ts';

const MAX_STEPS = 8;

const idOf = (n: number) => toId(`00000000-0000-7000-8000-${String(n).padStart(12, '0')}`, 'Environment');

const stepOf = (n: number, after: readonly number[], need: PathStep['need'] = 'all'): PathStep => ({
  environmentId: idOf(n),
  after: after.map(idOf),
  need,
  targetLabels: {},
  policy: {},
});

const need = fc.constantFrom('all' as const, 'any' as const);

/** Paths with edges of every direction: some lead in a circle. */
const paths: fc.Arbitrary<Path> = fc.integer({ min: 1, max: MAX_STEPS }).chain((size) =>
  fc.array(fc.tuple(fc.subarray([...Array(size).keys()]), need), { minLength: size, maxLength: size }).chain((steps) =>
    fc.shuffledSubarray(
      steps.map(([after, needed], n) => stepOf(n, after, needed)),
      { minLength: size },
    ),
  ),
);

/** Paths whose steps come after earlier ones only. */
const acyclic: fc.Arbitrary<Path> = paths.map((path) => {
  const order = path.map(({ environmentId }) => environmentId);
  return path.map((step, index) => ({ ...step, after: step.after.filter((id) => order.indexOf(id) < index) }));
});

/** Orders steps by removing those that wait for nothing, as Kahn does; undefined where none is left to remove. */
const topologicalOrder = (path: Path): string[] | undefined => {
  const order: string[] = [];
  let remaining = [...path];
  while (remaining.length > 0) {
    const free = remaining.filter(({ after }) => after.every((id) => order.includes(id)));
    if (free.length === 0) return undefined;
    order.push(...free.map(({ environmentId }) => environmentId));
    remaining = remaining.filter((step) => !free.includes(step));
  }
  return order;
};

/** Lists every set of environments in which a release can have landed verified, by landing it wherever it may. */
const landingSets = (path: Path): string[][] => {
  const found = new Map<string, string[]>([['', []]]);
  for (const landed of found.values())
    for (const step of path) {
      if (landed.includes(step.environmentId) || missingBefore(step, landed).length > 0) continue;
      const next = [...landed, step.environmentId].toSorted();
      found.set(next.join(), next);
    }
  return [...found.values()];
};

const edgesOf = (path: Path): Map<string, readonly string[]> =>
  new Map(path.map(({ environmentId, after }) => [environmentId, after]));

test('a path has a cycle exactly when its steps have no order, and the cycle is one of its own edges', () => {
  let cycles = 0;
  fc.assert(
    fc.property(paths, (path) => {
      const cycle = cycleOf(path);
      assert.equal(cycle === undefined, topologicalOrder(path) !== undefined);
      if (!cycle) return;
      cycles += 1;
      assert.equal(new Set(cycle).size, cycle.length);
      for (const [at, id] of cycle.entries()) {
        const next: string | undefined = cycle[(at + 1) % cycle.length];
        assert.ok(next && edgesOf(path).get(id)?.includes(next), `${id} comes after ${next}`);
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(cycles > 50, `${cycles} cycles`);
});

test('a step of many levels of ever more edges is checked in time', () => {
  const path = Array.from({ length: 100 }, (_, n) => stepOf(n, [...Array(n).keys()]));
  assert.equal(cycleOf(path), undefined);
  assert.deepEqual(
    [...directEdges(path).values()].map((edges) => edges.length),
    path.map((_, n) => Math.min(n, 1)),
  );
});

test('a step is open when all, or any, of its environments have landed, and else names what is missing', () => {
  const ids: fc.Arbitrary<string[]> = fc.subarray([...Array(MAX_STEPS).keys()].map(idOf));
  fc.assert(
    fc.property(ids, ids, need, (after, landed, needed) => {
      const missing = missingBefore({ after, need: needed }, landed);
      const isOpen =
        after.length === 0 ||
        (needed === 'all' ? after.every((id) => landed.includes(id)) : after.some((id) => landed.includes(id)));
      assert.equal(missing.length === 0, isOpen);
      for (const id of missing) assert.ok(after.includes(id) && !landed.includes(id));
    }),
  );
});

test('the edges of a drawing open each step when the path does, and none of them can be left out', () => {
  fc.assert(
    fc.property(acyclic, (path) => {
      const direct = directEdges(path);
      const sets = landingSets(path);
      const opens = (step: PathStep, after: PathStep['after']) =>
        sets.map((landed) => missingBefore({ ...step, after }, landed).length === 0);
      for (const step of path) {
        const after = direct.get(step.environmentId) ?? [];
        assert.deepEqual(opens(step, after), opens(step, step.after), `${step.environmentId} opens elsewhere`);
        for (const before of after) {
          const fewer = after.filter((other) => other !== before);
          assert.notDeepEqual(opens(step, fewer), opens(step, after), `${before} is implied`);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('of any, the environment that suffices alone is drawn; of all, one that can be gone around is not left out', () => {
  const [a, b, c, x] = [0, 1, 2, 3];
  const suffices = [stepOf(a, []), stepOf(b, [a]), stepOf(c, [a, b], 'any')];
  assert.deepEqual(directEdges(suffices).get(idOf(c)), [idOf(a)]);
  const eitherFirst = [stepOf(a, []), stepOf(x, []), stepOf(b, [a, x], 'any'), stepOf(c, [a, b, x], 'any')];
  assert.deepEqual(directEdges(eitherFirst).get(idOf(c)), [idOf(a), idOf(x)]);
  const context = [stepOf(a, []), stepOf(x, []), stepOf(b, [a, x], 'any'), stepOf(c, [a, b])];
  assert.deepEqual(directEdges(context).get(idOf(c)), [idOf(a), idOf(b)]);
});

test('a product without a path of its own needs every lower environment', () => {
  const environments = fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: MAX_STEPS });
  fc.assert(
    fc.property(environments, fc.array(fc.nat(MAX_STEPS)), (orders, positions) => {
      const ordered = orders.map((orderIndex, n) => ({ id: idOf(n), orderIndex }));
      const path = defaultPath(ordered);
      assert.equal(cycleOf(path), undefined);
      for (const { id, orderIndex } of ordered) {
        const step = path.find(({ environmentId }) => environmentId === id);
        const landed = positions.map(idOf);
        const below = ordered.filter((other) => other.orderIndex < orderIndex);
        assert.ok(step && !step.targetLabels.region);
        assert.equal(
          missingBefore(step, landed).length === 0,
          below.every((other) => landed.includes(other.id)),
        );
      }
    }),
  );
});

const evidence = fc.subarray([...evidenceTypes]);
const settings = {
  requiredApprovals: fc.nat(10),
  separationOfDuties: fc.constantFrom(...separations),
  requiredEvidence: evidence,
};
const guarded = fc.record(settings);
const policies = fc.record(settings, { requiredKeys: [] });

type Guarded = Parameters<typeof relaxedSettings>[0];

const isAsStrict = (one: Guarded, other: Guarded): boolean =>
  one.requiredApprovals >= other.requiredApprovals &&
  (one.separationOfDuties === 'author' || other.separationOfDuties === 'off') &&
  other.requiredEvidence.every((type) => one.requiredEvidence.includes(type));

test('the stricter of an environment and a step applies, and a step that relaxes has the last word', () => {
  fc.assert(
    fc.property(guarded, policies, (environment, policy) => {
      const strict = withPolicy(environment, policy);
      assert.ok(isAsStrict(strict, environment));
      assert.ok(isAsStrict(strict, { ...environment, ...policy }));
      // The result is never stricter than the stricter of the two.
      assert.ok([environment.requiredApprovals, policy.requiredApprovals].includes(strict.requiredApprovals));
      assert.ok([environment.separationOfDuties, policy.separationOfDuties].includes(strict.separationOfDuties));
      const required = [...environment.requiredEvidence, ...(policy.requiredEvidence ?? [])];
      assert.deepEqual(new Set(strict.requiredEvidence), new Set(required));
      assert.deepEqual(withPolicy(environment, { ...policy, relaxes: true }), { ...environment, ...policy });
    }),
  );
});

test('the settings that a step relaxes are those that are less strict than the environment', () => {
  fc.assert(
    fc.property(guarded, policies, (environment, policy) => {
      const relaxed = relaxedSettings(environment, policy);
      assert.equal(relaxed.length === 0, isAsStrict({ ...environment, ...policy }, environment));
      for (const setting of relaxed)
        assert.ok(!isAsStrict({ ...environment, [setting]: policy[setting] }, environment), setting);
    }),
  );
});

const component = fc.record({
  name: fc.constantFrom('web', 'api', 'cache'),
  repository: fc.constantFrom('registry.example/shop/web', 'registry.example/shop/api'),
});
const declared = fc.option(
  fc.uniqueArray(
    fc.tuple(component, fc.boolean()).map(([each, required]) => ({ ...each, required })),
    { selector: ({ name }) => name },
  ),
);

test('a release has the components that its product declares, from their repositories, and all that are required', () => {
  fc.assert(
    fc.property(declared, fc.uniqueArray(component, { selector: ({ name }) => name }), (components, given) => {
      const fields = given.map((each, index) => ({ field: `components.${index}`, component: each }));
      const refused = componentsRefusal({ name: 'shop', components }, fields);
      const wrong = fields.flatMap(({ field, component: { name, repository } }) => {
        const known = components?.find((each) => each.name === name);
        if (components === null || known?.repository === repository) return [];
        return known ? `${field}.repository` : `${field}.name`;
      });
      assert.deepEqual(refused?.fields.map(({ field }) => field) ?? [], wrong);
      const missing = missingComponents({ components }, given).map(({ name }) => name);
      const required = (components ?? []).flatMap(({ name, required: isRequired }) => (isRequired ? name : []));
      assert.deepEqual(
        missing,
        required.filter((name) => given.every((each) => each.name !== name)),
      );
    }),
  );
});

test('a product is not removed while targets belong to it, and the refusal names them', () => {
  assert.equal(removeRefusal({ name: 'shop' }, []), undefined);
  const refusal = removeRefusal({ name: 'shop' }, [{ targetId: 'one', name: 'web-1' }]);
  assert.match(refusal?.message ?? '', /^Targets belong to shop: web-1\. /);
  assert.equal(refusal?.code, 'RES_CONFLICT');
  assert.deepEqual(refusal.details, { targets: [{ id: 'one', name: 'web-1' }] });
});
