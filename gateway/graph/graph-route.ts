import { Fault } from '@landfall/kernel/core/fault';
import { extensionsOf } from '@landfall/kernel/graph/subgraph';
import { challenge } from '@landfall/kernel/routes/dialects/challenge';
import { retryAfter } from '@landfall/kernel/routes/dialects/retry-after';
import { type Refusal, refusalOf } from '@landfall/kernel/routes/refusal';
import type { Answer } from '@landfall/kernel/routes/route';
import type { FastifyInstance } from 'fastify';
import type { Identify } from '../http/listener.ts';
import { noteFailure } from '../http/listener.ts';
import { ANSWER_TYPES, answerType } from './answer-type.ts';
import type { Graph } from './graph.ts';
import { transportStatus } from './transport-status.ts';

/** Messages for requests that the framework refuses, by status. */
const MESSAGES: Readonly<Record<number, string>> = {
  413: 'The body is larger than 1 MiB.',
  415: 'The graph takes application/json.',
};

/** Refusal for an error: 503 for a failure of the gateway itself (rulings 5), whatever the code's own status. */
const graphRefusal = (error: unknown): Refusal => {
  const { fault, status } = refusalOf(error);
  if (status !== fault.status) return { fault: new Fault(fault.code, MESSAGES[status] ?? fault.message), status };
  return { fault, status: transportStatus(fault) };
};

/** Retry-After in seconds (RFC 9110 10.2.3), if the code itself has none. */
const AGAIN_SOON = { 'retry-after': '5' };

/** Body of a refused request in the form of GraphQL errors (rulings 52). */
export const refusalBody = (fault: Fault, requestId: string, status = fault.status): string =>
  JSON.stringify({ errors: [{ message: fault.message, extensions: { ...extensionsOf(fault, requestId), status } }] });

const refuse = ({ fault, status }: Refusal, requestId: string): Answer => ({
  status,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    ...(status === 503 && { ...AGAIN_SOON, ...retryAfter(fault) }),
    ...challenge(fault),
  },
  body: refusalBody(fault, requestId, status),
});

/**
 * Refuses an unacceptable media type before the operation runs, so that no change happens whose answer cannot be read.
 */
const notAcceptable = (accept: string | undefined): Refusal => ({
  fault: new Fault('VAL_INVALID_FORMAT', `The graph answers in ${ANSWER_TYPES.join(' or ')}. Accept one of these.`, {
    accept,
    available: ANSWER_TYPES,
  }),
  status: 406,
});

/** Registers `POST /graphql`. Callers are identified before the operation is read; anonymous ones get 401. */
export const registerGraph = async (
  app: FastifyInstance,
  { graph, identify }: { readonly graph: Graph; readonly identify: Identify },
): Promise<void> => {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, scope.getDefaultJsonParser('error', 'error'));
    scope.setErrorHandler((error, request, reply) => {
      noteFailure(error, request);
      const { status, headers = {}, body } = refuse(graphRefusal(error), request.id);
      return reply.code(status).headers(headers).send(body);
    });
    scope.post('/graphql', { config: { refuse } }, async (request, reply) => {
      const caller = await identify(request);
      const { method, headers, body } = request;
      const accept = answerType(headers.accept);
      if (accept === undefined) {
        const refused = refuse(notAcceptable(headers.accept), request.id);
        return reply
          .code(refused.status)
          .headers(refused.headers ?? {})
          .send(refused.body);
      }
      const answer = await graph.answer({ method, headers: { ...headers, accept }, search: '', body, caller });
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    });
  });
};
