import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createDecisionCounts } from '@landfall/kernel/egress/decision-counts';
import { createEnforcedEgress } from '@landfall/kernel/egress/enforced-egress';
import { createLoadedPolicies } from '@landfall/kernel/egress/loaded-policies';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { airgapApp, operator } from '../testing/airgap-app.ts';

test('a seal ends the answers under way that it blocks, in a process that only reads the policies', async () => {
  await using app = await airgapApp();
  const server = createServer((_, response) => void response.writeHead(200).write('first'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const counts = createDecisionCounts();
  const policies = createLoadedPolicies({ ...app.deps, counts });
  const own = { services: new Set<string>(), objectStore: new Set<string>() };
  const http = createHttpClient({ egress: createEnforcedEgress({ policies, base: openEgress, own, counts }) });
  await policies.start();

  const url = `http://127.0.0.1:${address.port}/`;
  const answer = await http.stream({
    url,
    tenant: operator.tenant,
    correlationId: 'seal',
    timeouts: { body: 600_000 },
  });
  assert.ok(answer.kind === 'response');
  const ended = assert.rejects(answer.body.toArray(), { code: 'EGRESS_REFUSED' });
  await app.module.seal.seal(operator, { policy: { allowLoopback: false } });
  await ended;

  await http.close();
  await policies.close();
  server.closeAllConnections();
  server.close();
});
