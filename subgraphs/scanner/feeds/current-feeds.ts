import type { Query } from '@landfall/kernel/db/query';
import { ecosystemKey, type OsvPackage } from '../packages/ecosystem.ts';
import * as captures from './captures.store.ts';

const OSV = 'feed:osv:';

/** Feeds in force, by role, and what they cover. */
export interface CurrentFeeds {
  readonly feeds: readonly captures.Feed[];
  /**
   * Whether a feed has advisories of an ecosystem, of its release where it is written with one. Without, nothing is known
   * about a package of it, which is not the same as no advisory.
   */
  covers(ecosystem: string): boolean;
}

const familyOf = (ecosystem: string): string => ecosystem.split(':', 1)[0] ?? ecosystem;

/** Keys of which one must be covered: a release, and its ecosystem, whose advisories are about every release. */
const keysOf = (ecosystem: string): readonly string[] => {
  const key = ecosystemKey(ecosystem);
  return [key, familyOf(key)];
};

/** Reads the feeds in force. */
export const readFeeds = async (query: Query): Promise<CurrentFeeds> => {
  const feeds = await captures.listCurrent(query);
  const covered = new Set(
    feeds
      .filter(({ role }) => role.startsWith(OSV))
      .flatMap(({ role, ecosystems }) => ecosystems ?? [role.slice(OSV.length)]),
  );
  return { feeds, covers: (ecosystem) => keysOf(ecosystem).some((key) => covered.has(key)) };
};

/** Whether a feed covers one of some packages, as `covers` of the feeds in force. */
export const areCovered = (query: Query, packages: readonly Pick<OsvPackage, 'ecosystem'>[]): Promise<boolean> => {
  const keys = packages.flatMap(({ ecosystem }) => keysOf(ecosystem));
  return captures.coversAny(query, [...new Set(keys.map((key) => `${OSV}${familyOf(key)}`))], keys);
};
