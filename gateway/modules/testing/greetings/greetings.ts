import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import type { DemoChapter } from '@landfall/kernel/demo/chapter';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule, type Module } from '@landfall/kernel/module';
import type { Seed } from '@landfall/kernel/operation/seed';
import { type Check, fail, ifTable, pass } from '@landfall/kernel/operator/check';
import { type ListedCommand, parse } from '@landfall/kernel/operator/command';
import { plain } from '@landfall/kernel/routes/dialects/plain';
import { json, route } from '@landfall/kernel/routes/route';
import { defineSettings, type Settings } from '@landfall/kernel/system/settings';
import { install } from '@landfall/rest-compat/modules';
import Type from 'typebox';

const settings = defineSettings({
  greetingWord: { type: 'string', default: 'Hello', env: 'GREETINGS_WORD', description: 'First word of a greeting.' },
});

const Text = Type.Object({ text: Type.String() });

const names = table('greetings.names', { name: text });

const listNames = (query: Query) =>
  query.list(names, sql`/* greetings.names.list */ select ${names.columns} from greetings.names order by name`);

const readGreeting = ({ operation }: Deps, { greetingWord }: Settings<typeof settings>) =>
  operation({
    name: 'greeting.read',
    kind: 'read',
    scope: ['orch:read'],
    input: Type.Object({}),
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

const createGreetings = (deps: Deps, config: Settings<typeof settings>): Greetings => {
  const read = readGreeting(deps, config);
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

/** `landfall greeting list <tenant>`: names that are greeted. */
const list: ListedCommand = {
  words: ['greeting', 'list'],
  summary: 'lists the names that are greeted',
  load: async (host) => ({
    help: 'usage: landfall greeting list <tenant>',
    async run(args, { print }) {
      const [tenant = ''] = parse(args, { options: {}, names: ['<tenant>'] }).positionals;
      await using installation = await host.open();
      for (const { name } of await installation.database.read(toTenantId(tenant), listNames)) print(name);
      return 0;
    },
  }),
};

const namesCheck: Check = {
  id: 'greetings-names',
  title: 'There is somebody to greet',
  meaning: 'Without a name the greeting is a stranger’s.',
  remedy: 'Add a name.',
  inspect: ifTable('greetings.names', async (query) =>
    (await listNames(query)).length > 0 ? pass('there is') : fail('nobody'),
  ),
};

/** Requests the greeting once. */
const chapter: DemoChapter = {
  order: 5,
  open: async () => ({
    async create({ admin }) {
      const { greeting } = await admin.ask('{ greeting { text } }', {}, Type.Object({ greeting: Text }));
      return { greeting: greeting.text };
    },
  }),
};

/** Seeds a name of the owner's tenant, which no other tenant may see. */
const seed: Seed<Greetings> = {
  order: 50,
  async create(_module, { deps, owner: { tenant }, mark }) {
    await deps.database.write(tenant, (tx) =>
      tx.run(sql`/* greetings.names.insert */ insert into greetings.names (tenant, name) values (${tenant}, ${mark})`),
    );
    return { ids: {} };
  },
};

const greetingsModule = defineModule({
  name: 'greetings',
  settings,
  variablePrefix: 'GREETINGS_',
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  commands: [list],
  checks: async () => [namesCheck],
  demo: async () => chapter,
  seed: async () => seed,
  configure: (values) => (deps) => createGreetings(deps, values),
});

/** Smallest module that uses every part of a module descriptor. */
export const greetings = install(greetingsModule, ({ read }) => [
  route({
    method: 'GET',
    path: '/v1/greeting',
    module: 'greetings',
    dialect: plain,
    summary: 'The greeting of the caller’s tenant.',
    operation: read,
    schemas: { response: { 200: Text } },
    input: () => ({}),
    answer: (value) => json(200, value),
  }),
]);
