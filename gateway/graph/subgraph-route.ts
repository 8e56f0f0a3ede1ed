import { asFault, Fault } from '@landfall/kernel/core/fault';
import type { Module } from '@landfall/kernel/module';
import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Identify } from '../http/listener.ts';
import { noteFailure } from '../http/listener.ts';
import { refusalBody } from './graph-route.ts';
import { createSubgraphExecutor, type OnBug } from './subgraph.ts';

const request = Type.Object({
  query: Type.String(),
  operationName: Type.Union([Type.String(), Type.Null()]),
  variables: Type.Record(Type.String(), Type.Unknown()),
});

const validator = Compile(request);
const isRequest = (value: unknown): value is Static<typeof request> => validator.Check(value);

/** Registers the module's GraphQL route for the edge; clients never read its errors. */
export const registerSubgraph = async (
  app: FastifyInstance,
  { module, identify, onBug }: { readonly module: Module; readonly identify: Identify; readonly onBug: OnBug },
): Promise<void> => {
  const run = createSubgraphExecutor(module.schema, onBug);

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, scope.getDefaultJsonParser('error', 'error'));
    scope.setErrorHandler((error, incoming, reply) => {
      const fault = asFault(error);
      noteFailure(error, incoming);
      return reply.code(fault.status).type('application/json; charset=utf-8').send(refusalBody(fault, incoming.id));
    });
    scope.post('/graphql', async (incoming, reply) => {
      const caller = await identify(incoming);
      const { body } = incoming;
      if (!isRequest(body))
        throw new Fault('VAL_SCHEMA_MISMATCH', 'This endpoint accepts the gateway’s operations only.');
      const { query, operationName, variables } = body;
      const answer = await run(
        { query, operationName: operationName ?? undefined, variables },
        module.context(caller),
        caller.correlationId,
      );
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
    });
  });
};
