import { plain } from '@landfall/kernel/routes/dialects/plain';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import type { Search } from '@landfall/search';
import * as schemas from '../views/search-index.schemas.ts';
import { provenanceView, rebuildView } from '../views/search-index.ts';

const common = { module: 'search', dialect: plain } as const;

/** Routes of search's documents (spec 4.7). */
export const searchIndexRoutes = ({ adapters, rebuild }: Pick<Search, 'adapters' | 'rebuild'>): Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/v1/search/index/rebuild',
    summary: 'Reads every source of the tenant’s documents again, and its index from them; answers when that is done.',
    operation: rebuild.rebuild,
    schemas: { response: { 200: schemas.rebuilt } },
    // A rebuild has no input: any body is ignored.
    input: () => ({}),
    answer: (rebuilt) => json(200, rebuildView(rebuilt)),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/v1/search/adapters',
    summary: 'For each adapter, whether its documents come from its route or from its snapshot, and why.',
    operation: adapters.list,
    schemas: { response: { 200: schemas.adapters } },
    input: () => ({}),
    answer: (provenances) => json(200, { adapters: provenances.map(provenanceView) }),
  }),
];
