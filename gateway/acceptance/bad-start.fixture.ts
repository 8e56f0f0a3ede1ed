import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { minimalEnvironment } from '@landfall/kernel/testing/programs';
import { freePorts } from '../testing/processes.ts';

const MAIN = join(import.meta.dirname, '../main.ts');

type Environment = Readonly<Record<string, string>>;

/** Prepares a directory and ports for starts that are refused. */
export const badStarts = async () => {
  const root = await mkdtemp(join(tmpdir(), 'landfall-bad-start-'));
  const [web = 0, auth = 0, agent = 0, admin = 0] = await freePorts(4);
  return {
    root,
    /** Address of a PostgreSQL that does not exist. */
    nowhere: `postgres://ann:word@127.0.0.1:${web}/shop`,
    /** Starts the product and returns the output of the refused start. */
    async refused(env: Environment, ...args: readonly string[]): Promise<string> {
      const child = spawn(process.execPath, [MAIN, '--no-demo', ...args], {
        env: {
          ...minimalEnvironment(),
          LANDFALL_DATA_DIR: join(root, 'data'),
          LANDFALL_PORT: String(web),
          LANDFALL_AUTH_PORT: String(auth),
          LANDFALL_AGENT_PORT: String(agent),
          LANDFALL_ADMIN_PORT: String(admin),
          ...env,
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^Landfall did not start\. [^\n]+\n$/, 'one line and no stack');
      return stderr;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
};
