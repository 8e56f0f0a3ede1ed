import { parseLabels } from '../../lib/label-text.ts';
import type { DraftStep } from './path-draft.ts';

/** Target of a product, as the selector of a step sees it. */
export interface StepTarget {
  readonly state: string;
  readonly labels: readonly { readonly name: string; readonly value: string }[];
  readonly environment: { readonly id: string };
}

/** States in which a target gets no deployments. */
const EXCLUDED_STATES: ReadonlySet<string> = new Set(['DRAINING', 'DISABLED']);

/** Number of a product's targets in the environment of a step, and of those that have its labels; undefined for no labels. */
export function countTargets({ id, labels }: Pick<DraftStep, 'id' | 'labels'>, targets: readonly StepTarget[]) {
  const requested = parseLabels(labels);
  const cellStates = targets.filter(({ environment, state }) => environment.id === id && !EXCLUDED_STATES.has(state));
  const matching = cellStates.filter((target) =>
    requested?.every((label) => target.labels.some(({ name, value }) => name === label.name && value === label.value)),
  );
  return { of: cellStates.length, n: requested && matching.length };
}
