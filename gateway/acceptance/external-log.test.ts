import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { orchestratorModule } from '@landfall/orchestrator';
import { type AttestedApp, startAttestedApp } from '@landfall/orchestrator/evidence/statements/landing.fixture';
import { verifierKeyOf } from '@landfall/orchestrator/evidence/statements/rekor.fixture';
import { bearer } from '../testing/people.ts';
import { type Product, sharedProduct } from '../testing/start.ts';

let app: AttestedApp;
let product: Product;
before(async () => {
  [app, product] = await Promise.all([startAttestedApp(), sharedProduct('all-in-one')]);
});
after(async () => {
  await app[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

/** Creates a landing whose statement is in the built-in log and waits for submission to the external log. */
const attested = async (settings: { rekorUrl: string; rekorToken: string; rekorKey: string }) => {
  await app.attestAll();
  const { deployment } = await app.landed(await app.stage());
  const module = app.another(settings);
  while ((await module.runOnce.attestor()) > 0);
  const statement = await app.statement('deployment', deployment.id);
  assert(statement?.attestedAt, 'nothing waits for the other log');
  return { module, id: statement.id, deployment };
};

test('a statement is submitted to the Rekor v2 of another process, whose proof is checked, once', async () => {
  const { headers } = await bearer(product, 'external-log');
  const rekorKey = await verifierKeyOf(orchestratorModule.get(product.modules));
  const rekor = {
    rekorUrl: `${product.baseUrl}/tlog/`,
    rekorToken: (headers.authorization ?? '').slice('Bearer '.length),
    rekorKey,
  };
  const { module, id, deployment } = await attested(rekor);
  assert.equal(await module.runOnce.external(), 2);
  const found = await app.external(id);
  assert.deepEqual([found?.lastError, typeof found?.logIndex], [null, 'number']);
  const { logBody } = await app.whole(id);
  const existing = await orchestratorModule.get(product.modules).transparencyLog.find(found?.logIndex ?? -1);
  assert.deepEqual(existing?.body, logBody);
  assert.equal(await module.runOnce.external(), 0);
  const { data, errors } = await app.graph(
    'query ($id: ID!) { deployment(id: $id) { attestation { log { index } externalLog { url index } } } }',
    { id: deployment.id },
  );
  assert.equal(errors, undefined);
  assert.deepEqual(JSON.parse(JSON.stringify(data)).deployment.attestation.externalLog, {
    url: `${product.baseUrl}/tlog`,
    index: String(found?.logIndex),
  });
});
