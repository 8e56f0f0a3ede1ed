import type { Param } from './url-state.ts';

/** Steps of a canary from their text, `10, 50, 100`: whole, ascending, at most ten, the last one 100. */
export function parseCanarySteps(text: string): readonly number[] | undefined {
  const canarySteps = text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);
  const ascends = canarySteps.every((share, index) => Number.isInteger(share) && share > (canarySteps[index - 1] ?? 0));
  return ascends && canarySteps.length <= MAX && canarySteps.at(-1) === 100 ? canarySteps : undefined;
}

const MAX = 10;

/** Steps as they are written, in the URL too. */
export const formatCanarySteps = (shares: readonly number[]): string => shares.join(',');

/** Steps as people write them. */
export const formatSteps = (steps: readonly number[]): string => steps.join(', ');

/** Steps of a canary as a parameter of the URL. */
export const shares: Param<string> = {
  read: (raw) => {
    const found = typeof raw === 'string' || typeof raw === 'number' ? parseCanarySteps(String(raw)) : undefined;
    return found === undefined ? undefined : formatCanarySteps(found);
  },
};
