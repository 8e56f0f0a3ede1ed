import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { lockFile } from '@landfall/kernel/db/process-lock';
import { minimalEnvironment } from '@landfall/kernel/testing/programs';
import { freePorts } from '../testing/processes.ts';

const MAIN = join(import.meta.dirname, '../main.ts');

let root: string;
let ports: number[];

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'landfall-bad-start-'));
  ports = await freePorts(4);
});
after(() => rm(root, { recursive: true, force: true }));

/** Starts the product and returns the output of the refused start. */
const refused = async (env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> => {
  const [web, auth, agent, admin] = ports.map(String);
  const child = spawn(process.execPath, [MAIN, '--no-demo', ...args], {
    env: {
      ...minimalEnvironment(),
      LANDFALL_DATA_DIR: join(root, 'data'),
      LANDFALL_PORT: web,
      LANDFALL_AUTH_PORT: auth,
      LANDFALL_AGENT_PORT: agent,
      LANDFALL_ADMIN_PORT: admin,
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^Landfall did not start\. [^\n]+\n$/, 'one line and no stack');
  return stderr;
};

test('a start that cannot be says why in one line: the setting, its value, and what to do', async (t) => {
  const file = join(root, 'file');
  await writeFile(file, '');
  const listener = createServer().listen(0, '127.0.0.1');
  t.after(() => listener.close());
  await once(listener, 'listening');
  const address = listener.address();
  const port = String(typeof address === 'object' && address ? address.port : 0);
  const nowhere = `postgres://ann:word@127.0.0.1:${ports[0]}/shop`;

  assert.match(await refused({}, '--frob'), /'--frob'; there is --role/);
  assert.match(await refused({ LANDFALL_PORT: 'abc' }), /LANDFALL_PORT: must be a whole number .*"abc"/);
  assert.match(
    await refused({ LANDFALL_AUTH_PORT: port }),
    new RegExp(`LANDFALL_AUTH_PORT \\(${port}\\): another program`),
  );
  assert.match(
    await refused({ LANDFALL_CONFIG: join(root, 'none.json') }),
    /LANDFALL_CONFIG: .*none\.json cannot be read/,
  );
  assert.match(await refused({ LANDFALL_DATA_DIR: file }), /LANDFALL_DATA_DIR: .* a part of the path is a file; name/);
  assert.match(
    await refused({ LANDFALL_DATA_DIR: '/proc/self/landfall' }),
    /LANDFALL_DATA_DIR: \/proc\/self\/landfall/,
  );
  assert.match(
    await refused({ LANDFALL_AUTHORITY_ENABLED: 'false', LANDFALL_HOST: '0.0.0.0' }),
    /Authority:Enabled is false while 0\.0\.0\.0 is reachable by others; --insecure accepts that/,
  );
  assert.match(await refused({ DATABASE_URL: 'mysql://db/shop' }), /DATABASE_URL: must begin with postgres:\/\//);
  assert.match(await refused({ DATABASE_URL: nowhere }), /DATABASE_URL: no PostgreSQL answers at .*; start it/);
});

test('a second start over the same data names the process that has it', async () => {
  const data = join(root, 'in-use');
  await mkdir(join(data, 'postgres'), { recursive: true });
  const unlock = await lockFile(join(data, 'postgres/owner'));
  const stderr = await refused({ LANDFALL_DATA_DIR: data });
  await unlock();
  assert.ok(stderr.includes(`LANDFALL_DATA_DIR: ${data} is in use by process ${process.pid}; stop that one`), stderr);
});
