import type { Clock } from '@landfall/kernel/core/clock';

/** How long one is told of the same thing once. */
const SILENT_MS = 60_000;
const MOST = 10_000;

/**
 * Whether the same was told within the last minute: whoever holds an access token but not its key can ask as often as
 * they like, and each time the answer, but no second row, is theirs.
 */
export const createRepeatFilter = (clock: Clock): ((what: string) => boolean) => {
  const told = new Map<string, number>();
  return (what) => {
    const now = clock.now().getTime();
    const until = told.get(what);
    if (until !== undefined && until > now) return true;
    told.delete(what);
    told.set(what, now + SILENT_MS);
    const [oldest] = told.keys();
    if (told.size > MOST && oldest !== undefined) told.delete(oldest);
    return false;
  };
};
