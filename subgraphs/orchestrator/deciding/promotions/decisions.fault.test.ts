import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arm } from '@landfall/kernel/system/failpoint';
import { catalogueApp } from '../../testing/catalogue-app.ts';

test('an approval that is cut off once it was decided was never given, and can be given again', async () => {
  await using app = await catalogueApp();
  const { promotions } = app.module;
  const environment = await app.seed.environment({ requiredApprovals: 1 });
  const { id, gatedDigestSet } = await app.seed.promotion(await app.seed.ready(), environment);
  const approve = () => promotions.approve(app.caller('approver'), { id, seenGatedDigestSet: gatedDigestSet });
  {
    using _cut = arm('promotion.approve.decided', () => Promise.reject(new Error('cut')));
    await assert.rejects(approve(), /cut/);
  }
  const { state, approvals, version } = await promotions.get(app.caller('operator'), { id });
  assert.deepEqual([state, approvals, version], ['pending', [], 1]);
  const approved = await approve();
  assert.deepEqual([approved.state, approved.approvals.length, approved.version], ['approved', 1, 2]);
});
