import type { SearchCardFragment } from '../generated/operations.ts';
import { fieldsOf } from './json.ts';
import { sessionFetch } from './session.ts';

/** Result of `POST /v1/advisory-ai/search` as cards: it has neither facets nor explanations. */
type LegacyFound = {
  readonly cards: readonly (SearchCardFragment & { readonly href?: string })[];
  readonly durationMs: number;
};

/** Searches with the older knowledge search, for when the graph fails. Throws when it fails too. */
export async function legacySearch(q: string, k: number, signal: AbortSignal): Promise<LegacyFound> {
  const answer = await sessionFetch('/v1/advisory-ai/search', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ q, k }),
    signal,
  });
  if (!answer.ok) throw new Error(`The legacy search answered ${answer.status}.`);
  return foundOf(await answer.json());
}

/** Parses an answer of the knowledge search into cards; results without id or title are skipped. */
export function foundOf(body: unknown): LegacyFound {
  const { results, diagnostics } = fieldsOf(body);
  const { durationMs } = fieldsOf(diagnostics);
  return {
    cards: Array.isArray(results) ? results.flatMap(cardOf) : [],
    durationMs: typeof durationMs === 'number' ? durationMs : 0,
  };
}

function cardOf(value: unknown): LegacyFound['cards'] {
  const { id, title, snippet, kind, score, href } = fieldsOf(value);
  if (typeof id !== 'string' || typeof title !== 'string') return [];
  return [
    {
      __typename: 'SearchCard',
      entityKey: id,
      entityType: typeof kind === 'string' ? kind : 'document',
      domain: 'KNOWLEDGE',
      title,
      summary: typeof snippet === 'string' ? snippet : '',
      severity: null,
      ecosystem: null,
      score: typeof score === 'number' ? score : 0,
      chunkIds: [id],
      highlights: [],
      why: [],
      ref: null,
      entity: null,
      ...(typeof href === 'string' && /^\/(?![/\\])/.test(href) ? { href } : {}),
    },
  ];
}
