import type { Labels } from '../../shared/labels.ts';
import type { EnvironmentId } from '../environments/environment.ts';
import type { StepPolicy } from './step-policy.ts';

/** Step of a product's path: an environment, and what must have landed verified before it. */
export interface PathStep {
  readonly environmentId: EnvironmentId;
  /** Environments of earlier steps; empty for a first step. */
  readonly after: readonly EnvironmentId[];
  /** Whether a release must have landed verified in all of `after`, or in any of them. */
  readonly need: 'all' | 'any';
  /** Labels that a target must have to be deployed to. */
  readonly targetLabels: Labels;
  readonly policy: StepPolicy;
}

export type Path = readonly PathStep[];

interface Ordered {
  readonly id: EnvironmentId;
  readonly orderIndex: number;
}

/** Path of a product without one of its own: every environment, after all that come before it. */
export const defaultPath = (environments: readonly Ordered[]): Path => {
  const ordered = environments.toSorted((a, b) => a.orderIndex - b.orderIndex);
  return ordered.map(({ id, orderIndex }) => ({
    environmentId: id,
    after: ordered.filter((other) => other.orderIndex < orderIndex).map((other) => other.id),
    need: 'all',
    targetLabels: {},
    policy: {},
  }));
};

export const stepOf = (path: Path, environmentId: string): PathStep | undefined =>
  path.find((step) => step.environmentId === environmentId);

/** Lists the environments that a release must land verified in before a step; empty when its rule is met. */
export const missingBefore = (
  { after, need }: { readonly after: readonly string[]; readonly need: PathStep['need'] },
  landed: readonly string[],
): string[] => {
  const missing = after.filter((id) => !landed.includes(id));
  return need === 'any' && missing.length < after.length ? [] : missing;
};

/** Finds a cycle: environments of which each comes after the next, and the last after the first. */
export const cycleOf = (path: Path): EnvironmentId[] | undefined => {
  const visited = new Set<string>();
  const visit = (id: EnvironmentId, route: readonly EnvironmentId[]): EnvironmentId[] | undefined => {
    if (route.includes(id)) return route.slice(route.indexOf(id));
    if (visited.has(id)) return undefined;
    for (const before of stepOf(path, id)?.after ?? []) {
      const cycle = visit(before, [...route, id]);
      if (cycle) return cycle;
    }
    visited.add(id);
    return undefined;
  };
  for (const { environmentId } of path) {
    const cycle = visit(environmentId, []);
    if (cycle) return cycle;
  }
  return undefined;
};

/** Environments of which each step of an acyclic path needs every one landed verified, whichever way a release takes. */
const requiredBefore = (path: Path): ReadonlyMap<string, ReadonlySet<EnvironmentId>> => {
  const known = new Map<string, ReadonlySet<EnvironmentId>>();
  const visit = (id: EnvironmentId): ReadonlySet<EnvironmentId> => {
    const found = known.get(id);
    if (found) return found;
    const step = stepOf(path, id);
    const [first = new Set<EnvironmentId>(), ...others] = (step?.after ?? []).map(
      (before) => new Set([before, ...visit(before)]),
    );
    const required = others.reduce<ReadonlySet<EnvironmentId>>(
      (sum, one) => (step?.need === 'any' ? sum.intersection(one) : sum.union(one)),
      first,
    );
    known.set(id, required);
    return required;
  };
  for (const { environmentId } of path) visit(environmentId);
  return known;
};

/** Environments of an acyclic path that a release reaches while it lands in none of the forbidden ones. */
const reachableWithout = (path: Path, forbidden: ReadonlySet<string>): string[] => {
  const known = new Map<string, boolean>();
  const isReached = (id: string): boolean => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const step = stepOf(path, id);
    const reached =
      step !== undefined && !forbidden.has(id) && missingBefore(step, step.after.filter(isReached)).length === 0;
    known.set(id, reached);
    return reached;
  };
  return path.flatMap(({ environmentId }) => (isReached(environmentId) ? [environmentId] : []));
};

/**
 * Edges of an acyclic path for a drawing: of `after`, the environments that decide when the step is open. Of all, those
 * that no other one requires; of any, those that can be the first of them to land.
 */
export const directEdges = (path: Path): Map<string, EnvironmentId[]> => {
  const required = requiredBefore(path);
  return new Map(
    path.map(({ environmentId, after, need }) => {
      if (need === 'all')
        return [environmentId, after.filter((id) => !after.some((other) => required.get(other)?.has(id)))];
      const before = reachableWithout(path, new Set(after));
      const canBeFirst = (id: string): boolean => {
        const step = stepOf(path, id);
        return step !== undefined && missingBefore(step, before).length === 0;
      };
      return [environmentId, after.filter(canBeFirst)];
    }),
  );
};
