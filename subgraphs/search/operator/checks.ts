import { type Check, ifTable, pass, warn } from '@landfall/kernel/operator/check';
import * as store from './checks.store.ts';

/** Events become documents within a second or two. */
const LATE_SECONDS = 60;

const searchIndex: Check = {
  id: 'search-index',
  title: 'The search index is up to date',
  meaning:
    'Events become documents, and documents are indexed, within a second or two. Events that wait are in no answer yet.',
  remedy:
    'See that a process with background work runs, read its log for "search.", and rebuild with POST /v1/search/index/rebuild. The console says why an import failed.',
  inspect: ifTable('search.chunks', async (query) => {
    const { chunks, waiting, behind, failed } = await store.searchState(query);
    const summary = `${chunks} chunks`;
    if (waiting > 0 && behind > LATE_SECONDS)
      return warn(`${summary}; ${waiting} events wait, for ${Math.round(behind)} s`);
    return failed > 0 ? warn(`${summary}; ${failed} imports failed today`) : pass(summary);
  }),
};

const isAbsent = ({ cause }: { readonly cause: string | null }): boolean => cause === 'http_404';

const searchAdapters: Check = {
  id: 'search-adapters',
  title: 'Search reads findings, policies and VEX where they are',
  meaning:
    'An adapter whose route does not answer serves what it kept. Its documents are as old as that. No service offers the VEX route yet: its adapter always serves what it kept.',
  remedy:
    'See that the module behind the route runs and answers; GET /v1/search/adapters says what was attempted and why it failed.',
  inspect: ifTable('search.adapters', async (query) => {
    const snapshots = (await store.snapshotAdapters(query)).filter(({ name }) => name !== 'vex');
    // A route of a module that is not installed is nothing that an operator could repair.
    const [absent, broken] = [snapshots.filter(isAbsent), snapshots.filter((adapter) => !isAbsent(adapter))];
    if (broken.length === 0 && absent.length > 0)
      return pass(
        `${absent.map(({ name }) => name).join(', ')}: no module here has the route, what was kept is served`,
      );
    if (broken.length === 0) return pass('each where it should be');
    return warn(
      broken.map(({ name, cause }) => `${name} serves what it kept${cause === null ? '' : ` (${cause})`}`).join(', '),
    );
  }),
};

export const searchChecks: readonly Check[] = [searchIndex, searchAdapters];
