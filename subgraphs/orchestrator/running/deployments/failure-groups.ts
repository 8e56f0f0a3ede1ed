import type { Anatomy } from './anatomy.ts';
import type { DeploymentTarget } from './deployment-targets.store.ts';

/** Failed targets that share a cause. */
export interface FailureGroup {
  readonly anatomy: Anatomy;
  readonly targets: readonly DeploymentTarget[];
}

/** Codes that the agents of these targets reported the cause with, each once, in the order of the targets. */
export const errorCodes = ({ targets }: FailureGroup): string[] => [
  ...new Set(targets.flatMap(({ anatomy }) => anatomy?.errorCode ?? [])),
];

/** Failed targets by distinct (category, reason), largest first; among equals the one seen first. */
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
