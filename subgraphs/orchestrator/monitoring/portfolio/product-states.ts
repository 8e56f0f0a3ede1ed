import type { Deployment } from '../../running/deployments/deployment.ts';
import { isEnded } from '../../running/deployments/deployment-state.ts';
import { nextActorOf } from '../../running/deployments/next-actor.ts';
import type { EstateState } from '../estate/estate-rule.ts';

/** States of a product in an environment, the most urgent first. */
export const productStates = ['failed', 'drift', 'unobserved', 'waiting', 'under_way', 'in_sync'] as const;

export type ProductState = (typeof productStates)[number];

/** States that need a person. */
const URGENT: ReadonlySet<ProductState> = new Set(['failed', 'drift', 'unobserved', 'waiting']);

interface Occurrences {
  /** The worst of its components; null where it has none. */
  readonly estate: EstateState | null;
  /** Its newest deployment; null before the first one. */
  readonly newest: Pick<Deployment, 'state' | 'pauseReason' | 'nextCheckAt'> | null;
  /** Promotions that wait for approval or launch. */
  readonly promotions: number;
}

/**
 * Lists the states of a product in an environment, the most urgent first; none where nothing is and nothing waits. A gate
 * that the analysis opens waits for no person.
 */
export const statesOf = ({ estate, newest, promotions }: Occurrences): ProductState[] => {
  const actor = newest && nextActorOf(newest);
  const found: Readonly<Record<ProductState, boolean>> = {
    failed: newest?.state === 'failed' || newest?.state === 'rollback_failed',
    drift: estate === 'drift',
    unobserved: estate === 'unobserved',
    waiting: actor === 'person' || promotions > 0,
    under_way: newest !== null && !isEnded(newest) && actor !== 'person',
    in_sync: estate === 'in_sync',
  };
  return productStates.filter((state) => found[state]);
};

/** Urgency of a product by all its states: the lower, the more urgent; undefined when it needs no person. */
export const urgencyOf = (states: readonly ProductState[]): number | undefined => {
  const urgent = states.filter((state) => URGENT.has(state)).map((state) => productStates.indexOf(state));
  return urgent.length === 0 ? undefined : Math.min(...urgent);
};
