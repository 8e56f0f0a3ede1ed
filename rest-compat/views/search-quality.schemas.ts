import Type from 'typebox';
import { count, instant, nullable, uuid } from './parts.ts';

const rate = Type.Number({ minimum: 0, maximum: 1 });

export const nothing = Type.Null({ description: 'No body.' });

const kind = Type.Enum([
  'query',
  'click',
  'zero_result',
  'synthesis',
  'answer_frame',
  'reformulation',
  'rescue_action',
]);

export const analyticsBatch = Type.Object({
  events: Type.Array(
    Type.Object({
      kind,
      query: Type.Optional(Type.String({ maxLength: 1_000 })),
      sessionId: Type.Optional(Type.String({ maxLength: 200, description: 'Groups the events of one visit.' })),
      entityKey: Type.Optional(Type.String({ maxLength: 500 })),
      position: Type.Optional(Type.Integer({ minimum: 1, description: 'The card’s place, from 1.' })),
      resultCount: Type.Optional(count),
      outcome: Type.Optional(Type.Enum(['grounded', 'fallback', 'clarify', 'insufficient'])),
      mode: Type.Optional(Type.String({ maxLength: 50, description: '`legacy-fallback` of a client that fell back.' })),
      domain: Type.Optional(Type.String()),
    }),
    { maxItems: 100 },
  ),
});

export const feedbackRequest = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 1_000 }),
  entityKey: Type.String({ minLength: 1, maxLength: 500 }),
  signal: Type.Enum(['helpful', 'not_helpful']),
  comment: Type.Optional(Type.String({ maxLength: 2_000 })),
});

export const feedback = Type.Object({ feedbackId: uuid });

export const historyList = Type.Object({
  items: Type.Array(Type.Object({ historyId: uuid, query: Type.String(), resultCount: count, at: instant }), {
    maxItems: 50,
  }),
});

export const metrics = Type.Object({
  period: Type.Enum(['24h', '7d', '30d']),
  from: instant,
  to: instant,
  queryCount: count,
  zeroResultRate: rate,
  clickThroughRate: rate,
  fallbackAnswerRate: rate,
  clarifyRate: rate,
  insufficientRate: rate,
  reformulationCount: count,
  rescueActionCount: count,
  abandonedFallbackCount: count,
});

export const alert = Type.Object({
  alertId: uuid,
  alertType: Type.Enum(['fallback_loop', 'abandoned_fallback']),
  status: Type.Enum(['open', 'acknowledged', 'resolved']),
  query: Type.String(),
  occurrences: count,
  firstSeenAt: instant,
  lastSeenAt: instant,
  resolution: nullable(Type.String()),
});

export const alertList = Type.Object({ items: Type.Array(alert) });

export const alertUpdate = Type.Object({
  status: Type.Enum(['acknowledged', 'resolved']),
  resolution: Type.Optional(Type.String({ maxLength: 2_000 })),
});
