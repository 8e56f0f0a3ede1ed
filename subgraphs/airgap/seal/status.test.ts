import assert from 'node:assert/strict';
import { test } from 'node:test';
import { airgapApp, operator, viewer } from '../testing/airgap-app.ts';

test('a tenant without a policy is unsealed, and its status has version 0', async () => {
  await using app = await airgapApp();

  const { data } = await app.graph('{ airgap { id mode version policyDigest changedBy { id } } }', {}, { as: viewer });

  assert.deepEqual(JSON.parse(JSON.stringify(data)), {
    airgap: { id: 'acme', mode: 'UNSEALED', version: 0, policyDigest: null, changedBy: null },
  });
});

test('a tenant header may repeat the token’s tenant and not contradict it (spec: 5/airgap-tenant-header)', async () => {
  await using app = await airgapApp();

  assert.equal((await app.module.status({ ...operator, assertedTenants: ['acme'] }, {})).tenant, 'acme');
  for (const assertedTenants of [['globex'], ['acme', 'globex']])
    await assert.rejects(app.module.status({ ...operator, assertedTenants }, {}), { code: 'VAL_INVALID_VALUE' });
  await assert.rejects(app.module.status({ ...app.caller('nobody'), assertedTenants: ['globex'] }, {}), {
    code: 'PERM_SCOPE_DENIED',
  });
});
