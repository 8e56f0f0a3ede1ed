import { sseHeaders } from '@landfall/kernel/http/sse';
import { sseBody } from '@landfall/kernel/http/sse-body';
import { plain } from '@landfall/kernel/routes/dialects/plain';
import { type Route, route } from '@landfall/kernel/routes/route';
import type { Search } from '@landfall/search';
import Type from 'typebox';

const text = Type.String();
const texts = Type.Array(text);

const request = Type.Object({
  q: text,
  k: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  filters: Type.Optional(
    Type.Object({
      domains: Type.Optional(texts),
      severity: Type.Optional(texts),
      ecosystem: Type.Optional(texts),
      entityType: Type.Optional(texts),
      tenantScoped: Type.Optional(Type.Boolean()),
    }),
  ),
  sessionId: Type.Optional(text),
});

const stream = Type.String({
  description:
    'text/event-stream. In order: `synthesis_start` {query, cardCount}; `deterministic` {text, citations, abstained}, one or more; `llm_status` {status: started|completed|timeout|unavailable|quota_exceeded}; `llm_chunk` {text, citations}, any number; `grounding` {coverage, dropped}; `synthesis_end` {durationMs}. Where a model is asked, one `llm_status` stands before its `llm_chunk`s and one behind them.',
});

const error = Type.Object({ error: text });

interface SynthesisRouteOptions {
  readonly heartbeatMs?: number;
}

/** Route of answers, POST /v1/search/synthesize (spec 4.7, 6.4), streamed while they are composed. */
export const searchSynthesisRoutes = (
  { synthesis: { synthesize } }: Pick<Search, 'synthesis'>,
  { heartbeatMs }: SynthesisRouteOptions = {},
): Route[] => [
  route({
    method: 'POST',
    path: '/v1/search/synthesize',
    module: 'search',
    dialect: plain,
    summary:
      'An answer from the documents, streamed: what they say, then in a model’s words. Needs search:synthesize, too, or advisory-ai:admin.',
    operation: synthesize,
    schemas: { body: request, response: { 200: stream, 400: error, 401: error, 403: error } },
    input: ({ body }) => body,
    answer: ({ stream }, { signal }) => ({
      status: 200,
      headers: sseHeaders,
      body: sseBody(stream, { signal, heartbeatMs }),
    }),
  }),
];
