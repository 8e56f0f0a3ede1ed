import type { Clock } from '@landfall/kernel/core/clock';

/** Interval in which a repeated refusal is logged once. */
const SILENT_MS = 60_000;
const MOST = 10_000;

/**
 * Returns a filter for refusals repeated within a minute: whoever has an access token without its key gets answers, but
 * no further rows.
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
