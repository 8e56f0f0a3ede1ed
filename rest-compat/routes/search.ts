import { plain } from '@landfall/kernel/routes/dialects/plain';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import type { Search } from '@landfall/search';
import { projection } from '../views/projection.ts';
import * as schemas from '../views/search.schemas.ts';

const common = { method: 'POST', module: 'search', dialect: plain } as const;

const searchView = projection(schemas.searchResult);
const suggestionsView = projection(schemas.suggestionsResult);

const refusals = { 400: schemas.refusal, 401: schemas.refusal, 403: schemas.refusal } as const;

/** Routes of search (spec 4.7). */
export const searchRoutes = ({ query }: Pick<Search, 'query'>): Route[] => [
  route({
    ...common,
    path: '/v1/search/query',
    summary: 'The best cards for a query, each with why it is there.',
    operation: query.search,
    schemas: { body: schemas.searchRequest, response: { 200: schemas.searchResult, ...refusals } },
    input: ({ body }) => body,
    answer: (found) => json(200, searchView(found)),
  }),
  route({
    ...common,
    path: '/v1/search/suggestions/evaluate',
    summary: 'Which of these queries would find something, at most 20; leaves no analytics.',
    operation: query.suggestions,
    schemas: { body: schemas.suggestionsRequest, response: { 200: schemas.suggestionsResult, ...refusals } },
    input: ({ body }) => body,
    answer: (results) => json(200, suggestionsView({ results })),
  }),
];
