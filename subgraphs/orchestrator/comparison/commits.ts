import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { Commit } from '../catalogue/integrations/forge-api.ts';
import type { Forges, SavedForge } from '../catalogue/integrations/forges.ts';
import type { CommitRange } from './commit-range.ts';
import * as store from './commit-ranges.store.ts';
import type { ComponentChange } from './comparison.ts';
import { isCommit } from './source-repository.ts';

/** Commits of one repository between two revisions. */
export interface RepositoryCommits {
  /** Components that are built from it. */
  readonly components: readonly string[];
  readonly range: CommitRange | undefined;
  readonly state: 'added' | 'removed' | 'unknown';
  /** Reason why the commits are unknown. */
  readonly reason: string | null;
  readonly commits: readonly Commit[];
  readonly total: number | null;
}

/** Limit of repositories that one request asks forges about. */
const MAX_REPOSITORIES = 60;
/** Repositories that are asked about at once. */
const CONCURRENCY = 6;
/** Deadline of all questions of one request, in milliseconds. */
const DEADLINE_MS = 20_000;

interface Group {
  readonly components: readonly string[];
  readonly range: CommitRange | string;
}

/** Groups changes by repository and revisions: one repository may build many components. */
const groupsOf = (changes: readonly ComponentChange[]): Group[] => {
  const known = changes.flatMap(({ name, range }) => (range === undefined ? [] : [{ name, range }]));
  const keyOf = ({ name, range }: { readonly name: string; readonly range: CommitRange | string }): string =>
    typeof range === 'string' ? name : JSON.stringify([range.repository.key, range.from, range.to]);
  return [...Map.groupBy(known, keyOf).values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ components: group.map(({ name }) => name), range: first.range }] : [];
  });
};

const unknown = ({ components, range }: Group, reason: string): RepositoryCommits => ({
  components,
  range: typeof range === 'string' ? undefined : range,
  state: 'unknown',
  reason,
  commits: [],
  total: null,
});

/** Retention of what forges answered, in days; it is asked for again after that. */
const RETENTION_DAYS = 90;

/** Deletes commits that were read long ago, of all tenants. */
export const pruneCommits = (tx: Tx): Promise<number> => store.pruneCommitRanges(tx, RETENTION_DAYS);

interface CommitDeps extends Pick<Deps, 'database'> {
  readonly forges: Pick<Forges, 'commits'>;
}

/** Creates the reader of commits: from what was read before, else from the forge. Uses the network. */
export const createCommitReader = ({ database, forges }: CommitDeps) => {
  /** Commits of one direction; where there are none, those of the other. Faults: INT_*. */
  const ask = async (
    caller: Who,
    forge: SavedForge,
    { repository, from, to }: CommitRange,
  ): Promise<store.Range | Fault> => {
    const added = await forges.commits(caller, forge, repository.path, from, to);
    if (added instanceof Fault) return added;
    if (added.total > 0 || from === to) return { direction: 'added', ...added };
    const removed = await forges.commits(caller, forge, repository.path, to, from);
    if (removed instanceof Fault) return removed;
    return removed.total > 0 ? { direction: 'removed', ...removed } : { direction: 'added', ...added };
  };

  const keep = async (caller: Who, { repository, from, to }: CommitRange, found: store.Range): Promise<void> => {
    // A branch or a tag may move; a whole hash always names the same commits.
    if (isCommit(from) && isCommit(to))
      await database.write(caller.tenant, (tx) =>
        store.insertRange(tx, caller.tenant, { source: repository.key, fromRevision: from, toRevision: to, ...found }),
      );
  };

  const readOne = async (
    caller: Who,
    group: Group,
    saved: readonly SavedForge[],
    stored: readonly store.StoredRange[],
    deadline: number,
  ) => {
    const { components, range } = group;
    if (typeof range === 'string') return unknown(group, range);
    const { repository, from, to } = range;
    const answer = (found: store.Range): RepositoryCommits => ({
      components,
      range,
      state: found.direction,
      reason: null,
      commits: found.commits,
      total: found.total,
    });
    if (from === to) return answer({ direction: 'added', commits: [], total: 0 });
    const known = stored.find(
      ({ source, fromRevision, toRevision }) => source === repository.key && fromRevision === from && toRevision === to,
    );
    if (known) return answer(known);
    const forge = saved.find(({ host }) => host === repository.host);
    if (!forge) return unknown(group, `No integration asks ${repository.host} for commits.`);
    if (Date.now() > deadline) return unknown(group, 'The forges did not answer in time.');
    const found = await ask(caller, forge, range);
    if (found instanceof Fault) return unknown(group, `${found.code}: ${found.message}`);
    await keep(caller, range, found);
    return answer(found);
  };

  return {
    /** Reads the commits of changes, by repository; a forge that fails leaves them unknown with its reason. */
    async read(
      caller: Who,
      changes: readonly ComponentChange[],
      saved: readonly SavedForge[],
    ): Promise<RepositoryCommits[]> {
      const groups = groupsOf(changes);
      const firstGroups = groups.slice(0, MAX_REPOSITORIES);
      const ranges = firstGroups.flatMap(({ range }) => (typeof range === 'string' ? [] : [range]));
      const stored =
        ranges.length === 0
          ? []
          : await database.read(caller.tenant, (query) => store.listStored(query, caller.tenant, ranges));
      const deadline = Date.now() + DEADLINE_MS;
      const answers = new Map<Group, RepositoryCommits>();
      const waiting = firstGroups.values();
      const work = async (): Promise<void> => {
        for (const group of waiting) answers.set(group, await readOne(caller, group, saved, stored, deadline));
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, work));
      return groups.map(
        (group) => answers.get(group) ?? unknown(group, `At most ${MAX_REPOSITORIES} repositories are asked about.`),
      );
    },
  };
};
