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
  const done = new Set<string>();
  const visit = (id: EnvironmentId, way: readonly EnvironmentId[]): EnvironmentId[] | undefined => {
    if (way.includes(id)) return way.slice(way.indexOf(id));
    if (done.has(id)) return undefined;
    for (const before of stepOf(path, id)?.after ?? []) {
      const cycle = visit(before, [...way, id]);
      if (cycle) return cycle;
    }
    done.add(id);
    return undefined;
  };
  for (const { environmentId } of path) {
    const cycle = visit(environmentId, []);
    if (cycle) return cycle;
  }
  return undefined;
};

/** Environments that come before each step, directly or not. */
const ancestorsIn = (path: Path): ReadonlyMap<string, ReadonlySet<string>> => {
  const known = new Map<string, Set<string>>();
  const collect = (id: string): ReadonlySet<string> => {
    const found = known.get(id);
    if (found) return found;
    const all = new Set<string>();
    known.set(id, all);
    for (const before of stepOf(path, id)?.after ?? []) {
      all.add(before);
      for (const earlier of collect(before)) all.add(earlier);
    }
    return all;
  };
  for (const { environmentId } of path) collect(environmentId);
  return known;
};

/** Edges of a path without those that others imply, for a drawing: `after` of each step. */
export const directEdges = (path: Path): Map<string, EnvironmentId[]> => {
  const ancestors = ancestorsIn(path);
  return new Map(
    path.map(({ environmentId, after }) => {
      const implied = new Set(after.flatMap((id) => [...(ancestors.get(id) ?? [])]));
      return [environmentId, after.filter((id) => !implied.has(id))];
    }),
  );
};
