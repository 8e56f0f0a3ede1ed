import { fieldsOf } from '../../lib/json.ts';
import type { Problem } from '../../lib/problem.ts';

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Uses of an environment, which keep it from being removed. */
export interface EnvironmentUses {
  readonly targets: readonly Named[];
  /** Products whose paths have a step there. */
  readonly products: readonly Named[];
  readonly promotions: readonly Named[];
}

const namedIn = (value: unknown): readonly Named[] =>
  (Array.isArray(value) ? value : []).flatMap((item) => {
    const { id, name } = fieldsOf(item);
    return typeof id === 'string' && typeof name === 'string' ? [{ id, name }] : [];
  });

/** Uses in the refusal of a removal; undefined where it was refused for another reason. */
export function usesIn({ code, details }: Problem): EnvironmentUses | undefined {
  if (code !== 'RES_CONFLICT' || details === undefined) return undefined;
  const { targets, products, promotions } = details;
  return { targets: namedIn(targets), products: namedIn(products), promotions: namedIn(promotions) };
}
