import { type Sql, sql, trusted } from '@landfall/kernel/db/sql';

/**
 * In which a deployment does nothing more by itself. One that is being undone has ended too: its rollback is a deployment
 * of its own.
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

/** The same for a statement. The words stand in the text, so that the partial indexes of open deployments apply. */
export const hasEnded: Sql = trusted(`state in (${endStates.map((state) => `'${state}'`).join(', ')})`);

/** It completed, and nothing has undone it, as far as is known: the newest of these is what its environment calls current. */
export const stands = sql`state in ('completed', 'rollback_in_progress', 'rollback_failed') and landing <> 'mismatch'`;
