import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { sql } from '@landfall/kernel/db/sql';
import { table, text } from '@landfall/kernel/db/table';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule, type Module } from '@landfall/kernel/module';
import { plain } from '@landfall/kernel/routes/dialects/plain';
import { json, route } from '@landfall/kernel/routes/route';
import { defineSettings, type Settings } from '@landfall/kernel/system/settings';
import { install } from '@landfall/rest-compat/modules';
import Type from 'typebox';

const settings = defineSettings({
  greetingWord: { type: 'string', default: 'Hello', env: 'GREETINGS_WORD', description: 'First word of a greeting.' },
});

const names = table('greetings.names', { name: text });

const readGreeting = ({ operation }: Deps, { greetingWord }: Settings<typeof settings>) =>
  operation({
    name: 'greeting.read',
    kind: 'read',
    scope: ['orch:read'],
    input: Type.Object({}),
    raises: [],
    example: {},
    async run({ tenant }, _input, query) {
      const found = await query.find(
        names,
        sql`/* greetings.names.find */
        select ${names.columns} from greetings.names where tenant = ${tenant}`,
      );
      return { text: `${greetingWord}, ${found?.name ?? 'stranger'}!` };
    },
  });

interface Greetings extends Module {
  readonly read: ReturnType<typeof readGreeting>;
}

const createGreetings = (deps: Deps, given: Settings<typeof settings>): Greetings => {
  const read = readGreeting(deps, given);
  return {
    name: 'greetings',
    operations: [read],
    read,
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), {
      Query: { greeting: (_: unknown, _input: unknown, { caller }: { readonly caller: Caller }) => read(caller, {}) },
    }),
    context: (caller) => ({ caller }),
    workers: [],
  };
};

const greetingsModule = defineModule({
  name: 'greetings',
  settings,
  variablePrefix: 'GREETINGS_',
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  configure: (values) => (deps) => createGreetings(deps, values),
});

/** The smallest module: a table, a setting, an operation, and a route and a field that answer with it. */
export const greetings = install(greetingsModule, ({ read }) => [
  route({
    method: 'GET',
    path: '/v1/greeting',
    module: 'greetings',
    dialect: plain,
    summary: 'The greeting of the caller’s tenant.',
    operation: read,
    schemas: { response: { 200: Type.Object({ text: Type.String() }) } },
    input: () => ({}),
    answer: (value) => json(200, value),
  }),
]);
