import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEnvelope, verifyEnvelope } from '@landfall/kernel/crypto/dsse';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { sql } from '@landfall/kernel/db/sql';
import { people } from '@landfall/kernel/testing/callers';
import { DEFAULT_POLICY } from '../score/policy.ts';
import { scannerApp } from '../testing/scanner-app.ts';
import { getFreeze, manifestDocument, storeFreeze } from './manifests.ts';

const who = people['scan-operator'];

test('a manifest is signed by the key of manifests over the bytes that are stored', async () => {
  await using app = await scannerApp();
  const stored = await app.module.manifests.get(who, { scanId: await app.frozenScan() });
  const envelope = parseEnvelope(JSON.parse(stored.envelope));
  assert.equal(envelope.payload.toString(), stored.manifest);
  const signer = await createSigningKeys(app.deps).signer('manifest');
  assert.equal(signer.algorithm, 'ed25519');
  assert.equal(verifyEnvelope(envelope, [signer]).length, 1);
});

test('a freeze keeps its manifest, which nobody can change', async () => {
  await using app = await scannerApp();
  const scanId = await app.frozenScan();
  const { database } = app.deps;
  const manifest = manifestDocument(await app.module.manifests.get(who, { scanId }));
  const again = await app.module.manifests.freezeScan({ manifest, policy: DEFAULT_POLICY, capturedAt: null });
  const results = await database.read(who.tenant, (query) => getFreeze(query, who.tenant, again));
  await assert.rejects(
    database.write(who.tenant, (tx) => storeFreeze(tx, who.tenant, again, results)),
    /duplicate key|RES_/,
  );
  const change = sql`/* scanner.manifests.change */ update scanner.manifests set envelope = ''`;
  await assert.rejects(
    database.write(who.tenant, (tx) => tx.run(change)),
    /permission denied/,
  );
});
