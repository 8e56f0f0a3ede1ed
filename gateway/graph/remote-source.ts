import { text } from 'node:stream/consumers';
import { asFault, Fault } from '@landfall/kernel/core/fault';
import { extensionsOf } from '@landfall/kernel/graph/subgraph';
import { correlationHeader } from '@landfall/kernel/http/request-headers';
import { type GraphQLFormattedError, Kind, parse } from 'graphql';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ModuleClient } from '../roles/module-client.ts';
import type { GraphContext } from './context.ts';
import type { ModuleSource } from './module-source.ts';
import type { OnBug, SubgraphRequest } from './subgraph.ts';

const MAX_QUERIES = 1_000;

const record = Type.Record(Type.String(), Type.Unknown());
const result = Type.Object({
  data: Type.Optional(Type.Union([record, Type.Null()])),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        message: Type.String(),
        path: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Number()]))),
        extensions: Type.Optional(record),
      }),
    ),
  ),
});

const validator = Compile(result);
const isResult = (value: unknown): value is Static<typeof result> => validator.Check(value);

/** Creates the cache of queries serialised as JSON, since the gateway sends the same ones again. */
const createSerialiser = () => {
  const known = new Map<string, string>();
  return ({ query, operationName, variables }: SubgraphRequest): string => {
    const written = known.get(query) ?? JSON.stringify(query);
    if (known.size >= MAX_QUERIES) known.clear();
    known.set(query, written);
    return `{"query":${written},"operationName":${JSON.stringify(operationName ?? null)},"variables":${JSON.stringify(variables ?? {})}}`;
  };
};

/** Paths that are missing when a whole answer is: each root field, or the first entity. */
const missingPaths = (query: string): (readonly (string | number)[])[] =>
  parse(query)
    .definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet.selections : [],
    )
    .flatMap((selection) => (selection.kind === Kind.FIELD ? [selection.alias?.value ?? selection.name.value] : []))
    .map((name) => (name === '_entities' ? [name, 0] : [name]));

/** Converts a failed request to errors at the missing paths, so that the rest of the page is shown. */
const failed = (fault: Fault, query: string, requestId: string): { data: null; errors: GraphQLFormattedError[] } => ({
  data: null,
  errors: missingPaths(query).map((path) => ({
    message: fault.message,
    path,
    extensions: extensionsOf(fault, requestId),
  })),
});

/** Source of a module in another process. */
export const remoteSource = (module: ModuleClient, onBug: OnBug): ModuleSource => {
  const serialise = createSerialiser();

  const ask = async (request: SubgraphRequest, { caller }: GraphContext) => {
    const { status, body } = await module.send({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json', [correlationHeader]: caller.correlationId },
      body: serialise(request),
      caller,
    });
    const answer = await text(body);
    if (status !== 200) throw new Fault('SYS_SERVICE_UNAVAILABLE', `The module ${module.name} answered ${status}.`);
    const parsed: unknown = JSON.parse(answer);
    if (!isResult(parsed)) throw new TypeError(`the module ${module.name} answered with something else than a result`);
    return { data: parsed.data ?? null, ...(parsed.errors && { errors: parsed.errors }) };
  };

  return {
    async send(request, context) {
      try {
        return await ask(request, context);
      } catch (error) {
        const { correlationId } = context.caller;
        onBug(error, correlationId);
        return failed(asFault(error), request.query, correlationId);
      }
    },
  };
};
