import type { Change } from './feed.ts';
import { createListeners } from './listeners.ts';

/** Changes of the feed, four times a second at most. */
export const { subscribe: onChanges, notify: notifyChanges } = createListeners<readonly Change[]>();
