import type { Search } from '@landfall/search';

type Answer = Awaited<ReturnType<Search['query']['search']>>;
type Card = Answer['cards'][number];
type Synthesis = NonNullable<Answer['synthesis']>;
type Suggestion = Awaited<ReturnType<Search['query']['suggestions']>>[number];

// The order of the fields is the order of the bytes (rulings, "Exact shapes").

const cardView = (card: Card) => ({
  entityKey: card.entityKey,
  entityType: card.entityType,
  domain: card.domain,
  title: card.title,
  summary: card.summary,
  severity: card.severity,
  ecosystem: card.ecosystem,
  score: card.score,
  chunkIds: card.chunkIds,
  highlights: card.highlights.map(({ field, text, ranges }) => ({ field, text, ranges })),
  why: card.why.map(({ lane, rank, contribution }) => ({ lane, rank, contribution })),
  ref: card.ref && { type: card.ref.type, id: card.ref.id },
});

const synthesisView = ({ abstained, sentences, coverage }: Synthesis) => ({
  abstained,
  sentences: sentences.map(({ text, citations }) => ({ text, citations })),
  coverage,
});

export const searchView = ({ query, topK, cards, facets, synthesis, diagnostics }: Answer) => ({
  query,
  topK,
  cards: cards.map(cardView),
  facets: facets.map(({ name, values }) => ({ name, values: values.map(({ value, count }) => ({ value, count })) })),
  ...(synthesis && { synthesis: synthesisView(synthesis) }),
  diagnostics: {
    mode: diagnostics.mode,
    usedVector: diagnostics.usedVector,
    durationMs: diagnostics.durationMs,
    servedBy: diagnostics.servedBy,
    coverage: diagnostics.coverage,
    ...(diagnostics.debug !== undefined && { debug: diagnostics.debug }),
  },
});

export const suggestionsView = (results: readonly Suggestion[]) => ({
  results: results.map(({ suggestion, viable, cardCount }) => ({ suggestion, viable, cardCount })),
});
