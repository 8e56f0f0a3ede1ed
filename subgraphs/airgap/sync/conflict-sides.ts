import { Fault } from '@landfall/kernel/core/fault';
import type { SyncConflict } from './conflicts.store.ts';
import type { SyncJob } from './jobs.store.ts';
import { merge } from './merge.ts';

/** Conflict with all that sites say under its key, the earliest first. */
export interface ConflictWithSides extends SyncConflict {
  readonly inForce: string;
  readonly sides: readonly SyncJob[];
}

export const withSides = (conflict: SyncConflict, all: readonly SyncJob[]): ConflictWithSides => {
  const sides = all.filter(({ kind, key }) => kind === conflict.kind && key === conflict.key);
  const { inForce = '', inOrder } = merge(sides, conflict.chosenDigest);
  return { ...conflict, inForce, sides: inOrder };
};

/**
 * Refuses a decision about a conflict that is not as the person saw it: of another version, or with another side in force
 * than the one to keep. @throws Fault RES_CONFLICT
 */
export const expectSeen = (
  { id, state, reason, version }: SyncConflict,
  seen: number | undefined,
  isInForce: boolean,
): void => {
  if (isInForce && (seen === version || (seen === undefined && state === 'open'))) return;
  throw new Fault(
    'RES_CONFLICT',
    seen === undefined && isInForce
      ? `The conflict ${id} is resolved already, with the reason "${reason}". Give its version, ${version}, to decide again.`
      : `The conflict ${id} has changed; it is at version ${version}. Read it again, then decide.`,
    { id, version },
  );
};
