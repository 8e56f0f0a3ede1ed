import assert from 'node:assert/strict';
import * as model from '../model/entities.model.ts';
import * as estateModel from '../model/estate.model.ts';
import type { Act, Subject } from './act.fixture.ts';
import { type Change, ENTITIES, type Watch } from './row-watch.fixture.ts';
import type { Tenant } from './walked-tenant.fixture.ts';

/** Compares the rows that a step changed: they belong to its product, and have the states of the model. */
export const compareChanges = (tenant: Tenant, { touches, expected }: Act, changes: readonly Change[]): void => {
  const { known, versions } = tenant;
  const own = changes.filter((change) => change.tenant === tenant.tenant);
  if (expected !== undefined) assert.deepEqual(own, [], 'a refused operation changes nothing');
  if (own.length === 0) return;
  const owners = new Map<string, readonly (Subject | null)[]>([
    ...known.products.map((product) => [product.id, [product]] as const),
    ...known.releases.map(({ id, product }) => [id, [product]] as const),
    ...known.promotions.map(({ id, release }) => [id, [release.product]] as const),
    ...known.deployments.map((deployment) => [deployment.id, [model.productOf(deployment)]] as const),
    ...known.targets.map((target) => [target.id, [target, target.product]] as const),
  ]);
  const states = new Map<string, string>([
    ...known.releases.map(({ id, status }) => [id, status] as const),
    ...known.promotions.map(({ id, state }) => [id, state] as const),
    ...known.deployments.map(({ id, state }) => [id, state] as const),
  ]);
  const products = new Map(known.targets.map(({ id, product }) => [id, product?.id ?? null]));
  const last = new Map<string, Change>();
  for (const change of own) {
    const { place: environment, ref } = change;
    const allowed = owners.get(ref)?.some((owner) => owner !== null && touches.includes(owner));
    assert.ok(allowed, `${environment} ${ref} belongs to another product, or to nothing that is known`);
    if (ENTITIES.includes(environment)) last.set(ref, change);
  }
  for (const [ref, { state, version, place: environment, product }] of last) {
    if (version !== null) versions.set(ref, version);
    if (states.has(ref)) assert.equal(state, states.get(ref), `state of ${environment} ${ref}`);
    if (environment === 'targets') assert.equal(product, products.get(ref), `product of target ${ref}`);
  }
};

const everyRow = `
  select 'promotion' as place, id, state from orchestrator.promotions where tenant = $1
  union all select 'deployment', id, state || ' ' || coalesce(landing, '-') || ' ' || product_id
    from orchestrator.deployments where tenant = $1
  union all select 'release', id, status || ' ' || (hold_reason is not null) || ' ' || product_id
    from orchestrator.releases where tenant = $1
  union all select 'product', id, name || ' ' || has_own_path from orchestrator.products
    where tenant = $1 and removed_at is null
  union all select 'target', id, environment_id || ' ' || coalesce(product_id::text, '-') || ' ' || (state <> 'disabled')
    from orchestrator.targets where tenant = $1 and removed_at is null
  union all select 'approved', target_id, component || ' ' || digest from orchestrator.approved_components
    where tenant = $1
  order by 1, 2, 3`;

interface Row {
  readonly place: string;
  readonly id: string;
  readonly state: string;
}

const rowsOf = ({ promotions, deployments, releases, products, targets }: model.Model): Row[] => [
  ...promotions.map(({ id, state }) => ({ place: 'promotion', id, state })),
  ...deployments.map((deployment) => ({
    place: 'deployment',
    id: deployment.id,
    state: `${deployment.state} ${deployment.landing ?? '-'} ${model.productOf(deployment).id}`,
  })),
  ...releases.map(({ id, status, isHeld: isOnHold, product }) => ({
    place: 'release',
    id,
    state: `${status} ${isOnHold} ${product.id}`,
  })),
  ...products.flatMap(({ id, name, path, isRemoved }) =>
    isRemoved ? [] : { place: 'product', id, state: `${name} ${path !== null}` },
  ),
  ...targets.flatMap(({ id, environment, product, isEnabled, isRemoved }) =>
    isRemoved ? [] : { place: 'target', id, state: `${environment.id} ${product?.id ?? '-'} ${isEnabled}` },
  ),
  ...targets.flatMap(({ id, approved }) =>
    [...approved].map(([component, digest]) => ({ place: 'approved', id, state: `${component} ${digest}` })),
  ),
];

export const byText = <T>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Compares every row of the tenant, and the figures of its estate. */
export const compareRows = async ({ app, tenant, as, known }: Tenant, watch: Watch): Promise<void> => {
  assert.deepEqual(byText(await watch.query<Row>('rows', everyRow, [tenant])), byText(rowsOf(known)));
  const { total, drift, inSync, unobserved } = await app.module.estate.status(as('viewer'), {});
  const expected = estateModel.estateOf(known);
  const inState = (wanted: estateModel.EstateState): number => expected.filter(({ state }) => state === wanted).length;
  assert.deepEqual(
    { total, drift, inSync, unobserved },
    {
      total: expected.length,
      drift: inState('drift'),
      inSync: inState('in_sync'),
      unobserved: inState('unobserved'),
    },
  );
};
