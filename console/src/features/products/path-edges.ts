import type { StepNeed } from '../../generated/operations.ts';

/** Step of a path, and what must have landed verified before it. */
interface Ordered {
  readonly id: string;
  readonly after: readonly string[];
  readonly need: StepNeed;
}

type Edges = ReadonlyMap<string, readonly string[]>;

const stepsById = (steps: readonly Ordered[]): ReadonlyMap<string, Ordered> =>
  new Map(steps.map((step) => [step.id, step]));

/** Steps that wait for each other: each comes after the next, and the last after the first; empty without a cycle. */
export function cycleOf(steps: readonly Ordered[]): string[] {
  const byId = stepsById(steps);
  const visited = new Set<string>();
  const visit = (id: string, route: readonly string[]): string[] => {
    if (route.includes(id)) return route.slice(route.indexOf(id));
    if (visited.has(id)) return [];
    for (const before of byId.get(id)?.after ?? []) {
      const cycle = visit(before, [...route, id]);
      if (cycle.length > 0) return cycle;
    }
    visited.add(id);
    return [];
  };
  for (const { id } of steps) {
    const cycle = visit(id, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}

/** Environments that a release has passed whichever way it reaches each step; of a path without a cycle. */
export function passedBefore(steps: readonly Ordered[]): Map<string, ReadonlySet<string>> {
  const byId = stepsById(steps);
  const known = new Map<string, ReadonlySet<string>>();
  const visit = (id: string): ReadonlySet<string> => {
    const found = known.get(id);
    if (found) return found;
    const step = byId.get(id);
    const predecessors = (step?.after ?? []).map((before) => new Set([before, ...visit(before)]));
    const [first = new Set<string>(), ...others] = predecessors;
    const passed = others.reduce<ReadonlySet<string>>(
      (all, route) => (step?.need === 'ANY' ? all.intersection(route) : all.union(route)),
      first,
    );
    known.set(id, passed);
    return passed;
  };
  for (const { id } of steps) visit(id);
  return known;
}

/** Steps of an acyclic path that a release reaches while it lands in none of the forbidden ones. */
function reachableWithout(steps: readonly Ordered[], forbidden: readonly string[]): ReadonlySet<string> {
  const byId = stepsById(steps);
  const known = new Map<string, boolean>(forbidden.map((id) => [id, false]));
  const isReached = (id: string): boolean => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const reached = isOpen(byId.get(id), isReached);
    known.set(id, reached);
    return reached;
  };
  return new Set(steps.map(({ id }) => id).filter(isReached));
}

/** Whether a step is open by what has landed verified. */
const isOpen = (step: Ordered | undefined, hasLanded: (id: string) => boolean): boolean =>
  step !== undefined &&
  (step.need === 'ANY' && step.after.length > 0 ? step.after.some(hasLanded) : step.after.every(hasLanded));

/** Edges that close a cycle, by the step that they lead to. */
function backwardEdges(steps: readonly Ordered[]): Edges {
  const byId = stepsById(steps);
  const backward = new Map<string, string[]>();
  const visited = new Set<string>();
  const visit = (id: string, route: readonly string[]): void => {
    for (const before of byId.get(id)?.after ?? []) {
      if (before === id || route.includes(before)) backward.set(id, [...(backward.get(id) ?? []), before]);
      else if (!visited.has(before)) visit(before, [...route, id]);
    }
    visited.add(id);
  };
  for (const { id } of steps) if (!visited.has(id)) visit(id, []);
  return backward;
}

/**
 * Edges of a path for a drawing: of `after`, the steps that decide when the step is open. Of all, those that no other one
 * requires; of any, those that can be the first of them to land. Edges that close a cycle stay.
 */
export function directEdges(all: readonly Ordered[]): Edges {
  const backward = backwardEdges(all);
  const closes = (id: string, before: string): boolean => backward.get(id)?.includes(before) ?? false;
  const steps = all.map((step) => ({ ...step, after: step.after.filter((before) => !closes(step.id, before)) }));
  const byId = stepsById(steps);
  const passed = passedBefore(steps);
  const deciding = ({ after, need }: Ordered): readonly string[] => {
    if (need === 'ALL') return after.filter((one) => !after.some((other) => passed.get(other)?.has(one)));
    const reached = reachableWithout(steps, after);
    return after.filter((one) => isOpen(byId.get(one), (before) => reached.has(before)));
  };
  return new Map(steps.map((step) => [step.id, [...deciding(step), ...(backward.get(step.id) ?? [])]]));
}
