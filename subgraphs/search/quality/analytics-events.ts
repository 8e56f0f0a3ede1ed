import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { DOMAINS } from '../domains.ts';

/** What can become of a query (spec 2.8). */
export const EVENT_KINDS = [
  'query',
  'click',
  'zero_result',
  'synthesis',
  'answer_frame',
  'reformulation',
  'rescue_action',
] as const;

/** How an answer stood to its question. */
export const OUTCOMES = ['grounded', 'fallback', 'clarify', 'insufficient'] as const;

/** The longest query that there is. */
export const MAX_QUERY = 1_000;

/**
 * One event, as clients tell it. The platform itself tells `query`, and beside it `zero_result` where nothing was found;
 * a client tells those two only of queries that it answered without asking (`mode` is then `legacy-fallback`).
 */
export const analyticsEvent = Type.Object({
  kind: oneOf(...EVENT_KINDS),
  query: Type.Optional(Type.String({ maxLength: MAX_QUERY })),
  sessionId: Type.Optional(Type.String({ maxLength: 200 })),
  entityKey: Type.Optional(Type.String({ maxLength: 500 })),
  position: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  resultCount: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  outcome: Type.Optional(oneOf(...OUTCOMES)),
  mode: Type.Optional(Type.String({ maxLength: 50 })),
  domain: Type.Optional(oneOf(...DOMAINS)),
  /** That the answer took. */
  durationMs: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400_000 })),
});

type RawEvent = Static<typeof analyticsEvent>;

/** An event as it is taken note of; what is undefined was not said. */
export type AnalyticsEvent = Pick<RawEvent, 'kind'> & {
  readonly [K in Exclude<keyof RawEvent, 'kind'>]?: RawEvent[K] | undefined;
};

/** A text with something in it, or nothing. */
export const textOrNull = (text: string | undefined): string | null => {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
};
