import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { queryOn, sendOn } from '@landfall/kernel/db/query';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { caller } from '@landfall/kernel/testing/callers';
import { checkMatrix } from '@landfall/kernel/testing/matrix';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import pg from 'pg';
import { startApp } from '../app.ts';
import { openInstallation } from '../cli/commands/installation.ts';
import { moduleCommands } from '../cli/module-commands.ts';
import { chaptersOf } from '../demo/demo.ts';
import { listChecks } from '../doctor/checks.ts';
import { createDependencies } from '../process/dependencies.ts';
import { parseRole } from '../process/role.ts';
import { MARK, seed, seedSpec } from '../proofs/seed.ts';
import { createEnvelopes } from '../roles/envelope.ts';
import { createModuleClient } from '../roles/module-client.ts';
import { platformOf, settingsTable } from '../settings/settings.ts';
import { refuseUnknownVariables } from '../settings/unknown-variables.ts';
import { readComposeFile } from '../testing/compose-file.ts';
import { freePorts } from '../testing/processes.ts';
import { createModules } from './modules.ts';
import { greetings } from './testing/greetings/greetings.ts';

const namesOf = (modules: readonly InstalledModule[]): string[] => modules.map(({ name }) => name);

/** Creates an installation of these modules with its own directory and database; `start` starts one role of it. */
const installation = async (installed: readonly InstalledModule[]) => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-modules-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const [web, auth, agents, admin] = await freePorts(4);
  const secretKey = Buffer.alloc(32, 1);
  const env = {
    DATABASE_URL: database.url,
    LANDFALL_DATA_DIR: dataDir,
    LANDFALL_SECRET_KEY: secretKey.toString('base64'),
    LANDFALL_PORT: String(web),
    LANDFALL_AUTH_PORT: String(auth),
    LANDFALL_AGENT_PORT: String(agents),
    LANDFALL_ADMIN_PORT: String(admin),
    GREETINGS_WORD: 'Welcome',
  };
  const resources = stack.move();
  const settings = loadSettings(settingsTable(installed), { env });
  return {
    database,
    settings,
    web: `http://127.0.0.1:${web}`,
    envelopes: createEnvelopes({ secrets: createSecrets([secretKey]), clock: systemClock, role: 'edge' }),
    start: async (role: string) => {
      const app = await startApp({
        settings,
        role: parseRole(role, namesOf(installed)),
        worker: false,
        log: silentLog,
        installed,
      });
      resources.defer(async () => void (await app.stop()));
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};

test('a module that is added to the list has its table, setting, operation, field and route', async () => {
  await using added = await installation([...MODULES, greetings]);
  await added.start('module:greetings');
  const client = new pg.Client(added.database.connection);
  await client.connect();
  await client.query(`insert into greetings.names values ('acme', 'Acme'), ('globex', 'Globex')`);
  await client.end();

  const module = createModuleClient('greetings', added.web, added.envelopes);
  const as = caller({ subject: 'ana', scopes: ['orch:read'] });
  const rest = await module.send({ method: 'GET', path: '/v1/greeting', headers: {}, caller: as });
  assert.deepEqual([rest.status, await json(rest.body)], [200, { text: 'Welcome, Acme!' }]);
  const graph = await module.send({
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ greeting { text } }', operationName: null, variables: {} }),
    caller: as,
  });
  assert.deepEqual(await json(graph.body), { data: { greeting: { text: 'Welcome, Acme!' } } });
  const unrelated = await module.send({ method: 'GET', path: '/v1/greeting', headers: {}, caller: undefined });
  assert.equal(unrelated.status, 401);
  await text(unrelated.body);
  await module.close();
});

test('a module that is added to the list has its command, doctor check and demo chapter', async () => {
  await using added = await installation([...MODULES, greetings]);
  const { database, settings } = added;
  await added.start('module:greetings');
  const client = new pg.Client(database.connection);
  await client.connect();
  const host = {
    settings: async () => ({ values: { ...settings }, platform: platformOf(settings) }),
    open: () => openInstallation(settings),
    tenants: async () => [],
    feeds: () => assert.fail(),
    problemOfRule: () => assert.fail(),
    tenantOf: () => assert.fail(),
    transfers: () => assert.fail(),
  };
  const inspect = async () => {
    const check = (await listChecks([...MODULES, greetings])).find(({ id }) => id === 'greetings-names');
    const query = async () => queryOn(sendOn(client));
    return check?.inspect({ settings, now: () => new Date(), database: query, migrations: async () => [] });
  };
  assert.deepEqual(await inspect(), { status: 'fail', says: 'nobody' });
  await client.query(`insert into greetings.names values ('acme', 'Acme')`);
  assert.deepEqual(await inspect(), { status: 'pass', says: 'there is' });
  await client.end();

  const listed = moduleCommands(host, [...MODULES, greetings]).find(({ words }) => words.join(' ') === 'greeting list');
  const lines: string[] = [];
  assert.equal(
    await (await listed?.load())?.run(['acme'], {
      env: {},
      readInput: async () => '',
      print: (line) => void lines.push(line),
      warn: assert.fail,
    }),
    0,
  );
  assert.deepEqual(lines, ['Acme']);

  const orders = (await chaptersOf([...MODULES, greetings])).map(({ order }) => order);
  assert.deepEqual(orders, [5, ...(await chaptersOf(MODULES)).map(({ order }) => order)]);
});

test('a module that is added to the list is tried by the access matrix, with its own seed', async () => {
  await using added = await installation([...MODULES, greetings]);
  const { database, settings } = added;
  await added.start('module:greetings');
  await using stack = new AsyncDisposableStack();
  const { deps } = stack.use(await createDependencies(settings, silentLog));
  const modules = createModules([greetings], deps, settings);
  const data = await seed({ modules, deps, stack, installed: [greetings] });
  const { unscoped, shared } = await seedSpec([greetings]);
  const operations = modules.flatMap((module) => module.operations);
  const matrix = { operations, data, mark: MARK, owner: 'acme', other: 'globex', unscoped, shared };
  assert.deepEqual(await checkMatrix({ ...matrix, connection: database.connection }), []);
});

test('a module that is taken from the list leaves no role and no setting behind', () => {
  const misspelt = { GREETINGS_WROD: 'Hi' };
  assert.throws(() => refuseUnknownVariables(misspelt, [...MODULES, greetings]), /GREETINGS_WROD: is no setting/);
  refuseUnknownVariables(misspelt, MODULES);
  assert.throws(() => parseRole('module:greetings', namesOf(MODULES)), /there is all-in-one, edge/);
  const file = { greetingWord: 'Hi' };
  assert.throws(() => loadSettings(settingsTable(MODULES), { env: {}, file }), /greetingWord: is no setting/i);
});

test('every module is a service of docker-compose.yml, which the edge knows by its address', async () => {
  const { services } = await readComposeFile(join(import.meta.dirname, '../../docker-compose.yml'), {});
  const addresses = namesOf(MODULES).map((name) => `${name}=http://${name}:4000`);
  assert.equal(services.edge?.environment.LANDFALL_MODULES, addresses.join(','));
  for (const name of namesOf(MODULES)) assert.ok(services[name]?.command?.includes(`module:${name}`), name);
});
