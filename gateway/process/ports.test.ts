import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { loadSettings } from '@landfall/kernel/system/settings';
import { gatewaySettings } from '../settings/settings.ts';
import { freePorts } from '../testing/processes.ts';
import { checkPorts, portsOf } from './ports.ts';

test('a role wants the ports that it opens', () => {
  const settings = loadSettings(gatewaySettings, { env: {} });
  const expected = (role: Parameters<typeof portsOf>[0]) => portsOf(role, settings).map(({ port }) => port);
  assert.deepEqual(expected({ kind: 'all-in-one' }), [4000, 4001, 4002, 4003]);
  assert.deepEqual(expected({ kind: 'edge' }), [4000, 4003]);
  assert.deepEqual(expected({ kind: 'module', module: 'authority' }), [4000, 4001, 4003]);
  assert.deepEqual(expected({ kind: 'module', module: 'orchestrator' }), [4000, 4002, 4003]);
});

test('a port that is taken is named with its setting; one that is free, or any port, is not', async (t) => {
  const listener = createServer().listen(0, '127.0.0.1');
  t.after(() => listener.close());
  await once(listener, 'listening');
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const [free = 0] = await freePorts(1);
  const host = '127.0.0.1';
  await checkPorts([
    { setting: 'LANDFALL_PORT', host, port: free },
    { setting: 'LANDFALL_AUTH_PORT', host, port: 0 },
    { setting: 'LANDFALL_AGENT_PORT', host, port: 0 },
  ]);
  await assert.rejects(
    checkPorts([
      { setting: 'LANDFALL_PORT', host, port: free },
      { setting: 'LANDFALL_AUTH_PORT', host, port },
    ]),
    {
      message: `LANDFALL_AUTH_PORT (${port}): another program listens there on ${host}; stop it, or set another port.`,
    },
  );
  await assert.rejects(
    checkPorts([{ setting: 'LANDFALL_PORT', host: '192.0.2.1', port: free }]),
    /^Error: LANDFALL_HOST: /,
  );
  const duplicated = ['LANDFALL_PORT', 'LANDFALL_AUTH_PORT'].map((setting) => ({ setting, host, port: free }));
  await assert.rejects(checkPorts(duplicated), /LANDFALL_PORT .*LANDFALL_AUTH_PORT .*a port of its own/);
});
