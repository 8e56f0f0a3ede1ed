import { type Sql, sql, trusted } from '@landfall/kernel/db/sql';

/**
 * States in which a deployment does nothing more by itself. Rollback states are among them: the rollback is a
 * deployment of its own.
 */
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

/**
 * The same as an SQL condition. The states are literals in the text, so that the partial indexes of open deployments
 * apply.
 */
export const hasEnded: Sql = trusted(`state in (${endStates.map((state) => `'${state}'`).join(', ')})`);

/**
 * SQL condition: the deployment completed and no rollback undid it. The newest such deployment is its environment's
 * current one.
 */
export const isInEffect = sql`state in ('completed', 'rollback_in_progress', 'rollback_failed') and landing <> 'mismatch'`;
