import type { Anatomy } from './anatomy.ts';
import type { DeploymentTarget } from './deployment-targets.store.ts';

/** Failed targets that share a cause. */
export interface FailureGroup {
  readonly anatomy: Anatomy;
  readonly targets: readonly DeploymentTarget[];
}

/** Codes that the agents of a group reported, each once, in the order of the targets. */
export const errorCodes = ({ targets }: FailureGroup): string[] => [
  ...new Set(targets.flatMap(({ anatomy }) => anatomy?.errorCode ?? [])),
];

/**
 * Groups failed targets by category and reason, largest group first; equal groups keep the order of their first target.
 */
export const groupFailures = (rows: readonly DeploymentTarget[]): FailureGroup[] => {
  const groups = new Map<string, { anatomy: Anatomy; targets: DeploymentTarget[] }>();
  for (const row of rows) {
    if (row.state !== 'failed' || row.anatomy === null) continue;
    const key = `${row.anatomy.category}/${row.anatomy.reason}`;
    const group = groups.get(key) ?? { anatomy: row.anatomy, targets: [] };
    group.targets.push(row);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((a, b) => b.targets.length - a.targets.length);
};
