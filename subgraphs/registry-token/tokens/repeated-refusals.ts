import type { Clock } from '@landfall/kernel/core/clock';
import { createLru } from '@landfall/kernel/core/lru';

/** Interval in which a repeated refusal is logged once. */
const SILENT_MS = 60_000;
const MAX = 10_000;

/** Filter of refusals repeated within a minute, so that a caller without the token's key adds no further rows. */
export const createRepeatFilter = (clock: Clock): ((refusal: string) => boolean) => {
  const recent = createLru<string, true>({ most: MAX, lifeMs: SILENT_MS, now: () => clock.now().getTime() });
  return (refusal) => {
    if (recent.get(refusal)) return true;
    recent.set(refusal, true);
    return false;
  };
};
