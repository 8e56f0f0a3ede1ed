import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { airgapModule } from '@landfall/airgap';
import { operatorKey } from '@landfall/airgap/testing/operator-anchor';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { caller } from '@landfall/kernel/testing/callers';
import { testDatabase } from '@landfall/kernel/testing/postgres';
import { until } from '@landfall/kernel/testing/until';
import pg from 'pg';
import { createModules } from '../modules/modules.ts';
import { createDependencies } from '../process/dependencies.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { freePorts, startProcess } from '../testing/processes.ts';
import { letTimePass } from '../testing/start.ts';
import { RECORDER, recordedNames } from './recorded-names.fixture.ts';

const TENANTS = ['acme', 'globex'];

/** Seals the demo's tenants over a fresh database, with an operator's time anchor. */
const sealTenants = async (env: Readonly<Record<string, string>>, key: ReturnType<typeof operatorKey>) => {
  const settings = loadSettings(gatewaySettings, { env });
  await using host = await createDependencies(settings, silentLog);
  await host.startEgress();
  const airgap = airgapModule.get(createModules([airgapModule], host.deps, settings));
  for (const tenant of TENANTS) {
    const who = caller({ tenant, subject: 'operator', scopes: ['airgap:seal', 'airgap:status:read'] });
    const { challenge } = await airgap.time.status(who, {});
    const token = key.state({ tenantId: tenant, nonce: challenge.nonce, anchorTime: new Date().toISOString() });
    await airgap.time.setAnchor(who, { source: 'operator_dsse', token });
    await airgap.seal.seal(who, { reason: 'the demo runs sealed', policy: { allowLoopback: true } });
  }
};

test('a sealed instance plays the whole demo and resolves no name of the outside', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  await letTimePass(database.connection);
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-sealed-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const [web, auth, agent, admin] = await freePorts(4);
  const key = operatorKey();
  const rootFile = join(dataDir, 'trust-roots.pem');
  await writeFile(rootFile, key.pem);
  const record = await recordedNames(dataDir);
  const env = {
    DATABASE_URL: database.url,
    LANDFALL_DATA_DIR: dataDir,
    LANDFALL_AIRGAP_TRUST_ROOT_FILE: rootFile,
    LANDFALL_PORT: String(web),
    LANDFALL_AUTH_PORT: String(auth),
    LANDFALL_AGENT_PORT: String(agent),
    LANDFALL_ADMIN_PORT: String(admin),
  };
  await sealTenants(env, key);

  const product = stack.use(await startProcess([], { ...env, ...record.env }, `http://127.0.0.1:${web}`));
  const finished = async () => {
    assert.doesNotMatch(product.output(), /The demo stopped/, product.output());
    return readFile(join(dataDir, 'credentials.json'), 'utf8').catch(() => false as const);
  };
  const credentials: { ids: Record<string, string> } = JSON.parse(
    await until(finished, { withinMs: 240_000, everyMs: 200 }),
  );

  assert.ok(credentials.ids.deploymentId && credentials.ids.failedDeploymentId && credentials.ids.scanId);
  assert.deepEqual(await record.outside(), []);
  // The evidence of an attested deployment is frozen in one bundle.
  const client = new pg.Client(database.connection);
  await client.connect();
  stack.defer(() => client.end());
  const bundles = `select a.artifact_type as type from evidence.bundles b
    join evidence.bundle_artifacts a on a.tenant = b.tenant and a.bundle_id = b.id
    where b.subject_kind = 'deployment' and b.subject_id = $1 and b.created_by = 'artifacts.arrivals'`;
  const types = await until(
    async () => {
      const { rows } = await client.query<{ type: string }>(bundles, [credentials.ids.deploymentId]);
      return rows.length > 0 && rows.map(({ type }) => type);
    },
    { withinMs: 60_000, everyMs: 200 },
  );
  assert.ok(types.includes('DsseEnvelope'));
  const ready = await fetch(`http://127.0.0.1:${web}/healthz/ready`);
  assert.equal(ready.status, 200);
});

test('the recorder sees a name that a process resolves', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'landfall-names-'));
  const record = join(directory, 'names');
  const program = 'await fetch("http://outside.invalid/").catch(() => undefined)';
  await promisify(execFile)(process.execPath, [`--import=${RECORDER}`, '--input-type=module', '-e', program], {
    env: { ...process.env, NAME_RECORD: record },
  });
  assert.match(await readFile(record, 'utf8'), /^outside\.invalid$/m);
  await rm(directory, { recursive: true, force: true });
});
