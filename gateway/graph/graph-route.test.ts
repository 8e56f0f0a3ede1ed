import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@landfall/kernel/core/clock';
import { Fault } from '@landfall/kernel/core/fault';
import { silentLog } from '@landfall/kernel/system/log';
import { createTelemetry } from '@landfall/kernel/system/telemetry';
import { seededIds } from '@landfall/kernel/testing/ids';
import { createListener } from '../http/listener.ts';
import type { Graph } from './graph.ts';
import { registerGraph } from './graph-route.ts';

/** Graph that fails the test when it is called. */
const graph: Graph = { answer: () => assert.fail('was asked'), close: async () => {} };

/** Serves the route with an identification that fails by this fault. */
const refusing = async (fault: Fault) => {
  const telemetry = createTelemetry(silentLog);
  const app = createListener({ ids: seededIds(), clock: systemClock, log: silentLog, meter: telemetry.meter('http') });
  await registerGraph(app, { graph, identify: () => Promise.reject(fault) });
  const { statusCode, headers, body } = await app.inject({
    method: 'POST',
    url: '/graphql',
    payload: { query: '{a}' },
  });
  await app.close();
  await telemetry.close();
  return [statusCode, headers['retry-after'], JSON.parse(body).errors[0].extensions.code];
};

test('what is out of order at the graph’s door is 503 and says when to come again; what is refused is neither', async () => {
  assert.deepEqual(await refusing(new Fault('SYS_SERVICE_UNAVAILABLE', 'x')), [503, '5', 'SYS_SERVICE_UNAVAILABLE']);
  assert.deepEqual(await refusing(new Fault('SYS_DATABASE_ERROR', 'x')), [503, '5', 'SYS_DATABASE_ERROR']);
  assert.deepEqual(await refusing(new Fault('SYS_OVERLOADED', 'x')), [503, '1', 'SYS_OVERLOADED']);
  assert.deepEqual(await refusing(new Fault('AUTH_TOKEN_EXPIRED', 'x')), [401, undefined, 'AUTH_TOKEN_EXPIRED']);
});
