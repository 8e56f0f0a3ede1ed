// Cost of 200 release sources that are polled every 60 seconds: processor time of one process and its PostgreSQL over
// polls at full speed, scaled to 200 polls a minute. The registry runs in a process of its own and is not counted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { toTenantId } from '@landfall/kernel/core/ids';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { orchestratorModule } from '@landfall/orchestrator';
import { MODULES } from '@landfall/rest-compat/modules';
import pg from 'pg';
import { createModules } from '../modules/modules.ts';
import { benchHost } from './bench-host.ts';
import { createReport } from './figure.ts';
import { writer } from './notes.ts';
import { cpuTimeOf, treeOf } from './processes.ts';

const SOURCES = 200;
const INTERVAL_SECONDS = 60;
/** Tags of each repository. */
const TAGS = 200;
const WARM_UP = 3;
const ROUNDS = 15;
const REGISTRY = 'registry';

const serveRegistry = async (): Promise<void> => {
  const hasEtags = process.argv[3] === 'etags';
  const registry = await startRegistry({ hasEtags });
  const image = buildImage({ layers: [[{ path: 'app', content: 'app' }]] });
  for (let source = 0; source < SOURCES; source++)
    registry.push(`shop/component-${source}`, image, ...Array.from({ length: TAGS }, (_, index) => `1.${index}.0`));
  process.send?.(registry.host);
  process.on('disconnect', () => process.exit());
};

/** Processor time of all processes below this one but the registry, in milliseconds. */
const cpuMs = async (registry: number | undefined): Promise<number> => {
  const pids = (await treeOf(process.pid)).map(({ pid }) => pid).filter((pid) => pid !== registry);
  return cpuTimeOf(pids);
};

const measure = async (kind: 'etags' | 'plain') => {
  const registry = fork(import.meta.filename, [REGISTRY, kind], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [address] = await once(registry, 'message');
  await using host = await benchHost();
  const { products, sources, runOnce } = orchestratorModule.get(createModules(MODULES, host.deps, host.settings));
  const caller = { ...writer, tenant: toTenantId('acme'), scopes: new Set(['orch:read', 'orch:admin']) };
  for (let index = 0; index < SOURCES; index++) {
    const product = await products.create(caller, { name: `product-${index}` });
    await sources.create(caller, {
      productId: product.id,
      component: 'web',
      repository: `${address}/shop/component-${index}`,
      selection: { range: '^1' },
      intervalSeconds: INTERVAL_SECONDS,
    });
  }
  const client = new pg.Client(host.migrating);
  await client.connect();
  const pollAll = async (): Promise<void> => {
    await client.query('update orchestrator.release_sources set next_poll_at = kernel.now()');
    let count = 0;
    for (let polled = 1; polled > 0; count += polled) polled = await runOnce.sourcePoller();
    if (count !== SOURCES) throw new Error(`${count} sources were polled`);
  };
  let before = 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) before = await cpuMs(registry.pid);
    await pollAll();
  }
  const perPoll = ((await cpuMs(registry.pid)) - before) / ROUNDS / SOURCES;
  const { rows } = await client.query(
    'select count(*)::integer as selected from orchestrator.release_sources where selected_tag = $1',
    [`1.${TAGS - 1}.0`],
  );
  if (rows[0]?.selected !== SOURCES) throw new Error(`${rows[0]?.selected} sources selected the newest tag`);
  await client.end();
  registry.disconnect();
  return perPoll;
};

/** Processor time of a poll in milliseconds as the share of a core that all sources take. */
const shareOf = (perPoll: number): number => (100 * perPoll * SOURCES) / (INTERVAL_SECONDS * 1_000);

if (process.argv[2] === REGISTRY) await serveRegistry();
else {
  const { tell } = createReport('sources');
  const [etags, plain] = [await measure('etags'), await measure('plain')];
  tell('200 sources at 60 s, registry with ETags', shareOf(etags), '% of a core', { atMost: 2 });
  tell('200 sources at 60 s, registry without ETags, 200 tags each', shareOf(plain), '% of a core', { atMost: 2 });
  tell('processor time of a poll, registry with ETags', etags, 'ms');
}
