import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { toTenantId } from '@landfall/kernel/core/ids';
import { caller } from '@landfall/kernel/testing/callers';
import { until } from '@landfall/kernel/testing/until';
import { type CatalogueApp, catalogueApp, imageOf } from '../../testing/catalogue-app.ts';
import { createTenantPool } from './tenant-pool.ts';

let app: CatalogueApp;
before(async () => {
  app = await catalogueApp();
});
after(() => app[Symbol.asyncDispose]());

/** Number of slow tenants that fill a pool in turns, each with as much as it gets, until the next one gets none. */
const tenantsThatFit = (slots: number, share: number): number => {
  const pool = createTenantPool({ slots, share });
  for (let index = 0; ; index++) {
    const tenant = toTenantId(`slow-${index}`);
    if (pool.room() === 0) return index;
    while (pool.room() > 0 && !pool.busy().includes(tenant)) pool.run(tenant, pool.room(), () => new Promise(() => {}));
  }
};

test('a tenant’s share shrinks with the load', () => {
  const pool = createTenantPool({ slots: 32, share: 8 });
  assert.equal(pool.room(), 8);
  for (let index = 0; index < 3; index++) pool.run(toTenantId(`slow-${index}`), 8, () => new Promise(() => {}));
  assert.equal(pool.room(), 4);
  assert.deepEqual(pool.busy(), ['slow-0', 'slow-1', 'slow-2']);
  assert.ok(tenantsThatFit(32, 8) >= 6, `${tenantsThatFit(32, 8)}`);
});

test('slots are free again when the work ends', async () => {
  const pool = createTenantPool({ slots: 2, share: 2 });
  const work = Promise.withResolvers<void>();
  pool.run(toTenantId('acme'), 2, () => work.promise);
  assert.equal(pool.room(), 0);
  work.resolve();
  await pool.idle();
  assert.equal(pool.room(), 1);
  assert.deepEqual(pool.busy(), []);
});

const adminOf = (tenant: string) =>
  caller({
    tenant,
    subject: `admin of ${tenant}`,
    scopes: ['orch:admin', 'orch:operate', 'orch:read', 'release:read'],
  });

/** Tenant with products that have a source each, whose images are below the tenant's name. */
const tenant = async (name: string, products: number) => {
  const admin = adminOf(name);
  const sources = [];
  for (let index = 0; index < products; index++) {
    const path = `${name}/web-${index}`;
    app.registry.push(path, imageOf(path), '1.0.0');
    const { id: productId } = await app.module.products.create(admin, { name: `shop-${index}` });
    const repository = app.registry.repository(path);
    sources.push(
      await app.module.sources.create(admin, {
        productId,
        component: 'web',
        repository,
        selection: { range: '*' },
        policy: 'finalize',
        debounceSeconds: 0,
      }),
    );
  }
  return { admin, sources };
};

type Tenant = Awaited<ReturnType<typeof tenant>>;

const workerOf = (name: string) =>
  app.module.workers.find((worker) => worker.name === name) ?? assert.fail(`no worker ${name}`);

/** Four tenants with more work than slots, which is due first, and one after them. */
const tenants = async (group: string) => {
  const slow: Tenant[] = [];
  for (let index = 0; index < 4; index++) slow.push(await tenant(`slow-${group}-${index}`, 9));
  return { slow, fast: await tenant(`fast-${group}`, 1) };
};

test('polls of four tenants that hang do not hold up a fifth tenant', async () => {
  const { slow, fast } = await tenants('poll');
  const polledOf = async ({ admin, sources }: Tenant) =>
    (await Promise.all(sources.map(({ id }) => app.module.sources.get(admin, { id })))).filter(
      ({ lastPollAt }) => lastPollAt !== null,
    ).length;
  using _hang = app.registry.fault({ kind: 'hang', match: '/v2/slow-' });
  await using _poller = workerOf('orchestrator.sourcePoller').start();
  await until(async () => (await polledOf(fast)) === 1);
  assert.deepEqual(await Promise.all(slow.map(polledOf)), [0, 0, 0, 0]);
});

test('releases of four tenants whose registries hang do not hold up a fifth tenant', async () => {
  const { slow, fast } = await tenants('release');
  const statusesOf = async ({ admin }: Tenant) =>
    (await app.module.releases.list(admin, {})).items.map(({ status }) => status);
  while ((await app.module.runOnce.sourcePoller()) > 0);
  using _hang = app.registry.fault({ kind: 'hang', match: '/v2/slow-' });
  await using _assembler = workerOf('orchestrator.releaseAssembler').start();
  await until(async () => (await statusesOf(fast)).some((status) => status !== 'draft'));
  for (const each of slow) assert.ok((await statusesOf(each)).every((status) => status === 'draft'));
});
