import Type from 'typebox';
import { nullable } from './parts.ts';

const domain = Type.Enum([
  'findings',
  'vex',
  'policy',
  'release',
  'scanner',
  'graph',
  'timeline',
  'opsmemory',
  'knowledge',
]);
const severity = Type.Enum(['critical', 'high', 'medium', 'low', 'none']);
const share = Type.Number({ minimum: 0, maximum: 1 });

const filters = Type.Object({
  domains: Type.Optional(Type.Array(domain)),
  severity: Type.Optional(Type.Array(severity)),
  ecosystem: Type.Optional(Type.Array(Type.String(), { description: 'As the sources write it: `npm`, `PyPI`.' })),
  entityType: Type.Optional(Type.Array(Type.String(), { description: '`vulnerability`, `package`, `release`, …' })),
  tenantScoped: Type.Optional(
    Type.Boolean({ default: false, description: 'The tenant’s own documents alone: nothing that is everybody’s.' }),
  ),
});

export const searchRequest = Type.Object({
  q: Type.String({ maxLength: 1_000 }),
  k: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'How many cards.' })),
  filters: Type.Optional(filters),
  includeSynthesis: Type.Optional(Type.Boolean({ default: false, description: 'An answer of the cards beside them.' })),
  includeDebug: Type.Optional(Type.Boolean({ default: false, description: 'How the query was read.' })),
  typing: Type.Optional(
    Type.Boolean({ default: false, description: 'The last word is still being written; leaves no analytics.' }),
  ),
  sessionId: Type.Optional(Type.String({ maxLength: 200, description: 'Groups the analytics of one visit.' })),
});

const card = Type.Object({
  entityKey: Type.String(),
  entityType: Type.String(),
  domain,
  title: Type.String(),
  summary: Type.String(),
  severity: nullable(severity),
  ecosystem: nullable(Type.String()),
  score: Type.Number(),
  chunkIds: Type.Array(Type.String(), { description: 'What citations name.' }),
  highlights: Type.Array(
    Type.Object({
      field: Type.Enum(['title', 'body', 'identifiers']),
      text: Type.String(),
      ranges: Type.Array(Type.Array(Type.Integer({ minimum: 0 }), { minItems: 2, maxItems: 2 }), {
        description: 'Begin and end in UTF-16 units of the text.',
      }),
    }),
  ),
  why: Type.Array(
    Type.Object({
      lane: Type.String({ description: '`identifier`, `fts:<domain>`, `vector`, `popularity`.' }),
      rank: Type.Integer({ minimum: 1 }),
      contribution: Type.Number({ description: 'All of them are the score.' }),
    }),
  ),
  ref: nullable(Type.Object({ type: Type.String(), id: Type.String() })),
});

const synthesis = Type.Object({
  abstained: Type.Boolean(),
  sentences: Type.Array(Type.Object({ text: Type.String(), citations: Type.Array(Type.String()) })),
  coverage: share,
});

const diagnostics = Type.Object({
  mode: Type.Enum(['hybrid', 'fts-only']),
  usedVector: Type.Boolean(),
  durationMs: Type.Number({ minimum: 0 }),
  servedBy: Type.Enum(['index', 'database']),
  coverage: share,
  debug: Type.Optional(Type.Unknown()),
});

export const searchResult = Type.Object({
  query: Type.String(),
  topK: Type.Integer(),
  cards: Type.Array(card),
  facets: Type.Array(
    Type.Object({
      name: Type.Enum(['domain', 'severity', 'ecosystem', 'entityType']),
      values: Type.Array(Type.Object({ value: Type.String(), count: Type.Integer({ minimum: 1 }) })),
    }),
  ),
  synthesis: Type.Optional(synthesis),
  diagnostics,
});

export const suggestionsRequest = Type.Object({
  suggestions: Type.Array(Type.String(), { maxItems: 20 }),
  filters: Type.Optional(filters),
});

export const suggestionsResult = Type.Object({
  results: Type.Array(
    Type.Object({
      suggestion: Type.String(),
      viable: Type.Boolean(),
      cardCount: Type.Integer({ minimum: 0, maximum: 10 }),
    }),
  ),
});

export const refusal = Type.Object({ error: Type.String() });
