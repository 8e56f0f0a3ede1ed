import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Caller, hasTenant } from '@landfall/kernel/core/caller';
import { toTenantId } from '@landfall/kernel/core/ids';
import { recordController } from '@landfall/kernel/identity/client-controllers';
import { caller } from '@landfall/kernel/testing/callers';
import { catalogueApp } from '../../testing/catalogue-app.ts';
import { approverDirectory } from './approver-directory.ts';

const app = await catalogueApp();
after(() => app[Symbol.asyncDispose]());

const { promotions } = app.module;
const acme = toTenantId('acme');
const [operator, approver, second] = [app.caller('operator'), app.caller('approver'), app.caller('second-approver')];
const everybody = [operator, approver, second].map(({ subject }) => subject);
const environment = await app.seed.environment({ orderIndex: 1, requiredApprovals: 2 });

const request = async (by: Caller) => {
  const release = await app.seed.ready();
  return promotions.request(by, { releaseId: release.id, targetEnvironmentId: environment.id, reason: 'Ship it.' });
};

const approversOf = (id: string, tenant = acme) =>
  app.deps.database.read(tenant, (query) => approverDirectory.filterApprovers(query, tenant, id, everybody));

test('who requested a promotion is none of its approvers, and who approved it is none any more', async () => {
  const { id, gatedDigestSet } = await request(operator);
  assert.deepEqual(await approversOf(id), [approver.subject, second.subject]);
  await promotions.approve(approver, { id, seenGatedDigestSet: gatedDigestSet });
  assert.deepEqual(await approversOf(id), [second.subject]);
  await promotions.approve(second, { id, seenGatedDigestSet: gatedDigestSet });
  assert.deepEqual(await approversOf(id), [], 'it is decided');
});

test('a person does not approve what a client of theirs requested', async () => {
  const client = caller({
    subject: '00000000-0000-7000-8000-000000000199',
    scopes: [...operator.scopes],
    kind: 'client',
  });
  assert.ok(hasTenant(approver));
  const { tenant } = approver;
  await app.deps.database.write(tenant, (tx) => recordController(tx, approver, client.subject));
  const { id } = await request(client);
  assert.deepEqual(await approversOf(id), [operator.subject, second.subject]);
});

test('a promotion of another tenant, or none, has no approvers', async () => {
  const { id } = await request(operator);
  assert.deepEqual(await approversOf(id, toTenantId('globex')), []);
  assert.deepEqual(await approversOf('no id'), []);
});
