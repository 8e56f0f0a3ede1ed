import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { DOMAINS } from '../shared/domains.ts';

const EVENT_KINDS = [
  'query',
  'click',
  'zero_result',
  'synthesis',
  'answer_frame',
  'reformulation',
  'rescue_action',
] as const;

const OUTCOMES = ['grounded', 'fallback', 'clarify', 'insufficient'] as const;

export const MAX_QUERY = 1_000;

/** Event of a client, who reports `query` and `zero_result` only if answered locally (`mode` `legacy-fallback`). */
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
  durationMs: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400_000 })),
});

type RawEvent = Static<typeof analyticsEvent>;

export type AnalyticsEvent = Pick<RawEvent, 'kind'> & {
  readonly [K in Exclude<keyof RawEvent, 'kind'>]?: RawEvent[K] | undefined;
};

/** Returns a non-blank text, or null. */
export const textOrNull = (text: string | undefined): string | null => {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
};
