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
