import { type Sql, sql, trusted } from '@landfall/kernel/db/sql';

/** Final states of a deployment; a rollback is a deployment of its own. */
export const endStates = [
  'completed',
  'failed',
  'cancelled',
  'rollback_in_progress',
  'rolled_back',
  'rollback_failed',
] as const;

const ENDS: ReadonlySet<string> = new Set(endStates);

export const isEnded = ({ state }: { readonly state: string }): boolean => ENDS.has(state);

/** SQL condition of `isEnded`, with the states as literals, so that the indexes of open deployments apply. */
export const hasEnded: Sql = trusted(`state in (${endStates.map((state) => `'${state}'`).join(', ')})`);

/** SQL condition: the deployment completed without a digest mismatch, and no rollback undid it. */
export const isInEffect = sql`state in ('completed', 'rollback_in_progress', 'rollback_failed') and landing <> 'mismatch'`;
