import type { Query } from '@landfall/kernel/db/query';
import { type Feed, listCurrent } from './captures.store.ts';

const OSV = 'feed:osv:';

/** Feeds in force, by role, and the ecosystems that have one. */
export interface CurrentFeeds {
  readonly feeds: readonly Feed[];
  /** Without releases: `Debian`, `npm`. */
  readonly ecosystems: ReadonlySet<string>;
}

/** Reads the feeds in force. */
export const readFeeds = async (query: Query): Promise<CurrentFeeds> => {
  const feeds = await listCurrent(query);
  const roles = feeds.map(({ role }) => role).filter((role) => role.startsWith(OSV));
  return { feeds, ecosystems: new Set(roles.map((role) => role.slice(OSV.length))) };
};
