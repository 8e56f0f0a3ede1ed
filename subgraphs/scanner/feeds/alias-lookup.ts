import type { Query } from '@landfall/kernel/db/query';
import { normalizeAdvisoryId } from '../advisories/advisory-id.ts';
import * as aliases from './aliases.store.ts';

/** Other ids of the alias group of an id; none for an id that no advisory names. */
export const listAliases = async (query: Query, id: string): Promise<readonly string[]> =>
  (await aliases.listOthers(query, id)).map(({ alias }) => alias);

/**
 * Alias groups that findings of a vulnerability may have been frozen with: that of the id, followed by those joined to it
 * since; none for an id that no advisory names.
 */
export const listAliasGroups = async (query: Query, vulnId: string): Promise<readonly bigint[]> =>
  (await aliases.listGroupsOf(query, normalizeAdvisoryId(vulnId))).map(({ aliasGroup }) => aliasGroup);
