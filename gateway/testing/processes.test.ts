import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePorts, startProcess } from './processes.ts';

test('a process is not taken for ready because another answers where it was to listen', async () => {
  const [web, auth, agent, admin] = await freePorts(4);
  const other = createServer((_, response) => void response.end('{"status":"ready"}')).listen(web, '127.0.0.1');
  await once(other, 'listening');
  const directory = await mkdtemp(join(tmpdir(), 'landfall-taken-'));
  try {
    const env = {
      LANDFALL_DATA_DIR: directory,
      LANDFALL_PORT: String(web),
      LANDFALL_AUTH_PORT: String(auth),
      LANDFALL_AGENT_PORT: String(agent),
      LANDFALL_ADMIN_PORT: String(admin),
    };
    await assert.rejects(startProcess(['--no-demo'], env, `http://127.0.0.1:${web}`), /another program listens there/);
  } finally {
    other.closeAllConnections();
    other.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test('a port is given once', async () => {
  const ports = (await Promise.all(Array.from({ length: 20 }, () => freePorts(3)))).flat();
  assert.equal(new Set(ports).size, 60);
});
