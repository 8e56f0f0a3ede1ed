import type { Query } from '@landfall/kernel/db/query';
import { osvPackagesOf } from '../packages/ecosystem.ts';
import { parsePurl } from '../packages/purl.ts';
import { listStates } from './advisories.store.ts';
import { packageKeysOf } from './package-lookup.ts';

/** Vulnerability of a component that was found before. */
interface FoundBefore {
  /** Canonical package URL of the component. */
  readonly purl: string;
  /** Ids of its advisories. */
  readonly ids: readonly string[];
}

/** State of the advisories behind a vulnerability that is not found any more. */
export type AdvisoryState = 'withdrawn' | 'not_affected' | 'not_matched';

const keysOf = (purl: string) => osvPackagesOf(parsePurl(purl)).flatMap(packageKeysOf);

/**
 * Loads the present states of advisories. Returns a function from a vulnerability to its state: `not_affected` where an
 * active advisory speaks about the package, else `withdrawn` where one was withdrawn, else `not_matched`.
 */
export const loadAdvisoryStates = async (
  query: Query,
  found: readonly FoundBefore[],
): Promise<(one: FoundBefore) => AdvisoryState> => {
  const ids = [...new Set(found.flatMap((one) => one.ids))];
  const keys = [
    ...new Map(found.flatMap(({ purl }) => keysOf(purl)).map((key) => [JSON.stringify(key), key])).values(),
  ];
  const byId = Map.groupBy(ids.length === 0 ? [] : await listStates(query, ids, keys), ({ id }) => id);
  return (one) => {
    const own = new Set(keysOf(one.purl).map(({ ecosystem, packageName }) => `${ecosystem}\n${packageName}`));
    const states = one.ids.flatMap((id) => byId.get(id) ?? []);
    const about = states.filter(({ ecosystem, packageName }) => own.has(`${ecosystem}\n${packageName}`));
    if (about.some(({ isWithdrawn }) => !isWithdrawn)) return 'not_affected';
    return states.some(({ isWithdrawn }) => isWithdrawn) ? 'withdrawn' : 'not_matched';
  };
};
