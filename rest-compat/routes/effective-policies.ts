import { envelope } from '@landfall/kernel/routes/dialects/envelope';
import { json, type Route, route } from '@landfall/kernel/routes/route';
import type { Orchestrator } from '@landfall/orchestrator';
import Type from 'typebox';
import * as schemas from '../views/effective-policies.schemas.ts';
import { projection } from '../views/projection.ts';
import { withFieldNames } from './field-names.ts';
import { input, limitOf } from './query-parameters.ts';

/** Parses `true` and `false` in any case; other texts stay, so that the schema refuses them. */
const flagOf = (text: string | undefined): boolean | string | undefined => {
  const word = text?.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : word;
};

const policyPageView = projection(schemas.policyPage);

/** Policies that apply to releases (rulings 10): on the orchestrator's address, under the authority's earlier path. */
export const effectivePolicyRoutes = ({ policies }: Pick<Orchestrator, 'policies'>): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/authority/effective-policies',
    module: 'orchestrator',
    dialect: envelope,
    summary: 'The rules that govern releases in the tenant, in words, wherever they are set.',
    operation: withFieldNames(policies.listEffective, { first: 'limit', after: 'cursor' }),
    schemas: {
      query: Type.Object({
        enabledOnly: Type.Optional(Type.Boolean({ default: false })),
        includeExpired: Type.Optional(Type.Boolean({ default: false })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
        cursor: Type.Optional(Type.String()),
      }),
      response: { 200: schemas.policyPage },
    },
    input: (request) => ({
      enabledOnly: flagOf(input(request, 'enabledOnly')),
      includeExpired: flagOf(input(request, 'includeExpired')),
      first: limitOf(input(request, 'limit')),
      after: input(request, 'cursor'),
    }),
    answer: ({ items, nextCursor }) => json(200, policyPageView({ items, nextCursor })),
  }),
];
