import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ApolloGateway } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { silentLog } from '@landfall/kernel/system/log';
import { people } from '@landfall/kernel/testing/callers';
import { MODULES } from '@landfall/rest-compat/modules';
import { buildSchema, type GraphQLSchema, isInputType, parse, typeFromAST } from 'graphql';
import { fabricateInput, fabricateOutput } from '../testing/fabricated-values.ts';
import { type GraphContext, graphContext } from './context.ts';
import { localSource } from './local-source.ts';
import { dataSource, type ModuleSource } from './module-source.ts';
import { passSingleModule } from './single-module.ts';
import { supergraphSdl } from './supergraph.ts';
import { completeValues } from './value-completion.ts';

/** Starts the committed supergraph over fabricated answers, twice: planning always, and passing on what one module serves. */
const startServers = async () => {
  const asked: string[] = [];
  const sourceOf = (name: string): ModuleSource => {
    const sdl = new URL(`../../subgraphs/${name}/schema.graphql`, import.meta.url);
    const schema = fabricateOutput(buildSubgraph(sdl, {}));
    const source = localSource({ name, schema, context: () => ({}), operations: [], workers: [] }, () => {});
    return {
      send: (request, context) => {
        asked.push(request.query);
        return source.send(request, context);
      },
    };
  };
  const sources = new Map(MODULES.map(({ name }) => [name, sourceOf(name)]));
  const serve = async (passes: boolean) => {
    const buildService = ({ name }: { readonly name: string }) =>
      dataSource(name, sources.get(name) ?? assert.fail(name));
    const gateway = completeValues(
      new ApolloGateway({ supergraphSdl: supergraphSdl(), logger: silentLog, buildService }),
    );
    const server = new ApolloServer<GraphContext>({
      gateway: passes ? passSingleModule(gateway, supergraphSdl(), sources) : gateway,
      logger: silentLog,
      stopOnTerminationSignals: false,
      includeStacktraceInErrorResponses: false,
    });
    await server.start();
    return {
      server,
      async ask(query: string, variables: Record<string, unknown> = {}): Promise<unknown> {
        const contextValue = graphContext(people.operator);
        const { body } = await server.executeOperation({ query, variables }, { contextValue });
        const result = body.kind === 'single' ? body.singleResult : assert.fail('an answer in pieces');
        const errors = result.errors?.map(({ message, path, extensions }) => ({
          message,
          path,
          code: extensions?.code,
        }));
        return JSON.parse(JSON.stringify({ data: result.data, errors }));
      },
    };
  };
  const [planned, passed] = [await serve(false), await serve(true)];
  return {
    asked,
    planned,
    passed,
    async [Symbol.asyncDispose]() {
      await Promise.all([planned.server.stop(), passed.server.stop()]);
    },
  };
};

let servers: Awaited<ReturnType<typeof startServers>>;
before(async () => {
  servers = await startServers();
});
after(() => servers[Symbol.asyncDispose]());

const operations: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('../../schema/operations.json', import.meta.url), 'utf8'),
);

const variablesOf = (schema: GraphQLSchema, query: string): Record<string, unknown> =>
  Object.fromEntries(
    parse(query).definitions.flatMap((definition) =>
      'variableDefinitions' in definition
        ? (definition.variableDefinitions ?? []).map(({ variable, type }) => {
            const input = typeFromAST(schema, type);
            return [variable.name.value, isInputType(input) ? fabricateInput(input) : assert.fail(query)];
          })
        : [],
    ),
  );

test('every operation of the console has the same answer whether it is planned or passed on', async () => {
  const schema = buildSchema(readFileSync(new URL('../../schema/api.graphql', import.meta.url), 'utf8'));
  let failing = 0;
  for (const query of Object.values(operations)) {
    const variables = variablesOf(schema, query);
    const planned = await servers.planned.ask(query, variables);
    assert.deepEqual(await servers.passed.ask(query, variables), planned, query);
    if (JSON.stringify(planned).includes('RES_NOT_FOUND')) failing += 1;
  }
  assert.ok(failing > 10, `${failing} of the answers have errors`);
});

test('an operation that one module serves reaches it as it is written, any other by the plan', async () => {
  const askedBy = async (query: string): Promise<string[]> => {
    servers.asked.length = 0;
    await servers.passed.ask(query);
    return servers.asked;
  };
  const own =
    '{ portfolio { urgent: urgentCount __typename rows { ... on PortfolioRow { cells { environmentId } } } } }';
  assert.deepEqual(await askedBy(own), [own]);
  const joined = '{ promotion(id: "1") { requestedBy { username } } }';
  assert.equal((await askedBy(joined)).includes(joined), false);
  const both = '{ promotion(id: "1") { id } me { subject } }';
  assert.equal((await askedBy(both)).length, 2);
  assert.deepEqual(await askedBy('{ __schema { queryType { name } } }'), []);
});
