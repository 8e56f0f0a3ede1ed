import type { Query } from '@landfall/kernel/db/query';
import { listOthers } from './aliases.store.ts';

/** Other ids of the alias group of an id; none for an id that no advisory names. */
export const listAliases = async (query: Query, id: string): Promise<readonly string[]> =>
  (await listOthers(query, id)).map(({ alias }) => alias);
