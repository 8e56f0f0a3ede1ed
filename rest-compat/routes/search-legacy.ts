import { plain } from '@landfall/kernel/routes/dialects/plain';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import type { Search } from '@landfall/search';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/search-legacy.schemas.ts';

/** Deprecation of the legacy search (spec 6.3); its rebuild is deprecated with it (rulings 32). */
const deprecated = { sunset: '2026-04-30T00:00:00Z', successor: '/v1/search/query' } as const;

const legacyView = projection(schemas.legacyResponse);
const legacyRebuildView = projection(schemas.legacyRebuild);

const common = { module: 'search', dialect: plain, method: 'POST', ...deprecated } as const;

/** Routes of the knowledge search that unified search replaces, and of its rebuild (spec 4.7). */
export const searchLegacyRoutes = ({ legacy }: Pick<Search, 'legacy'>): Route[] => [
  route({
    ...common,
    path: '/v1/advisory-ai/search',
    summary: 'Knowledge search as it was before unified search.',
    operation: legacy.search,
    schemas: { body: schemas.legacyRequest, response: { 200: schemas.legacyResponse } },
    input: ({ body }) => body,
    answer: (found) => json(200, legacyView(found)),
  }),
  route({
    ...common,
    path: '/v1/advisory-ai/index/rebuild',
    summary: 'Reads this installation’s documents, operations and checks into the index anew.',
    operation: legacy.rebuild,
    schemas: { response: { 200: schemas.legacyRebuild } },
    input: () => ({}),
    answer: (rebuilt) => json(200, legacyRebuildView(rebuilt)),
  }),
];
