import { isDeepStrictEqual } from 'node:util';
import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { type TenantId, toId, toTenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import * as denylist from '@landfall/kernel/identity/denylist';
import type { Deps } from '@landfall/kernel/module';
import { freeText, parser, patterned } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import * as store from './tenants.store.ts';

export const { find, serialize } = store;
export type { Tenant } from './tenants.store.ts';

/** Plan name without commas, blanks and quotes: lists of them need no quoting on a command line. */
const planName = patterned(
  '^[A-Za-z0-9][A-Za-z0-9._-]*$',
  'may have only letters, digits, dots, underscores and hyphens, and begins with a letter or digit',
  { maxLength: 100 },
);

const slug = patterned(
  '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  'may have only lower-case letters, digits and hyphens, and neither begins nor ends with a hyphen',
  { maxLength: 63 },
);

const tenantTerms = Type.Object({
  tenant: slug,
  name: Type.Optional(freeText(200)),
  /** Registry plans allowed for the tenant's clients; the first is the default. */
  plans: Type.Optional(Type.Array(planName, { maxItems: 100, uniqueItems: true })),
  /** Empty removes it. */
  license: Type.Optional(Type.String({ maxLength: 200, pattern: '^[!-~]*$' })),
});

/** Terms of a tenant by the operator; omitted fields stay, or are empty for a new tenant. */
export type TenantTerms = Static<typeof tenantTerms>;

const tenantEvent = eventsOf('Tenant');

/** Change of a tenant and its event type. */
interface TenantChange {
  readonly type: 'tenant.create' | 'tenant.update' | 'tenant.stop' | 'tenant.resume';
  readonly is: store.Tenant;
}

/** Tenant after a change, with the outcome. */
export interface TenantSet {
  readonly is: store.Tenant;
  readonly outcome: 'made' | 'changed' | 'unchanged';
}

/** Creates the operator's operations on tenants, which no tenant can reach; events name `by` as their actor. */
export const createTenants = ({ database, ids }: Pick<Deps, 'database' | 'ids'>, by: string) => {
  const readTerms = parser(tenantTerms);

  const writeEvent = (tx: Tx, { type, is }: TenantChange): Promise<void> => {
    const { name, plans, license, active } = is;
    const caller = systemCaller(is.tenant, by, ids.uuid());
    return tenantEvent(tx, caller, type, { id: is.id }, { name, plans, license, active });
  };

  const known = (previous: store.Tenant | undefined, tenant: string): store.Tenant => {
    if (!previous) throw new Fault('RES_NOT_FOUND', `There is no tenant ${tenant}.`);
    return previous;
  };

  /** Serialises changes of a tenant. Row, denylist and event are written in one transaction of the operator's role. */
  const change = (tenant: TenantId, decide: (was: store.Tenant) => TenantChange | undefined): Promise<TenantSet> =>
    database.system.write(async (tx) => {
      await store.serialize(tx, tenant);
      const previous = known(await store.findAnywhere(tx, tenant), tenant);
      const changed = decide(previous);
      if (!changed) return { is: previous, outcome: 'unchanged' };
      await store.updateAnywhere(tx, changed.is);
      if (changed.type === 'tenant.stop') await denylist.stop(tx, 'tenant', tenant);
      if (changed.type === 'tenant.resume') await denylist.resumeTenant(tx, tenant);
      await writeEvent(tx, changed);
      return { is: changed.is, outcome: 'changed' };
    });

  const create = (tenant: TenantId, name: string): Promise<boolean> =>
    database.write(tenant, async (tx) => {
      const id = toId(ids.uuid(), 'Tenant');
      if (!(await store.insert(tx, tenant, id, name))) return false;
      await writeEvent(tx, { type: 'tenant.create', is: { tenant, id, name, active: true, plans: [], license: null } });
      return true;
    });

  /** Creates the tenant when a name is given, so that a mistyped slug creates none. Returns whether it is new. */
  const ensure = async (tenant: TenantId, name: string | undefined): Promise<boolean> => {
    if (name !== undefined) return create(tenant, name);
    if (await database.system.read((query) => store.findAnywhere(query, tenant))) return false;
    const message = `is needed to make a tenant, and there is no ${tenant} yet`;
    throw invalid([{ field: 'name', message, code: 'VAL_REQUIRED_FIELD' }]);
  };

  const setActive = async (text: string, active: boolean): Promise<store.Tenant> => {
    const tenant = toTenantId(readTerms({ tenant: text }).tenant);
    const type = active ? 'tenant.resume' : 'tenant.stop';
    const { is } = await change(tenant, (previous) =>
      previous.active === active ? undefined : { type, is: { ...previous, active } },
    );
    return is;
  };

  return {
    list: (): Promise<readonly store.Tenant[]> => database.system.read(store.listAnywhere),

    /** Sets the terms of a tenant and creates it if it is named and new. Idempotent. */
    async set(terms: TenantTerms): Promise<TenantSet> {
      const { tenant: text, name, plans, license } = readTerms(terms);
      const tenant = toTenantId(text);
      const isNew = await ensure(tenant, name);
      const after = await change(tenant, (previous) => {
        const next: store.Tenant = {
          ...previous,
          name: name ?? previous.name,
          plans: plans ?? previous.plans,
          license: license === undefined ? previous.license : license || null,
        };
        return isDeepStrictEqual(previous, next) ? undefined : { type: 'tenant.update', is: next };
      });
      return isNew ? { ...after, outcome: 'made' } : after;
    },

    /** Stops a tenant at once: no sign-in, no token, no call. */
    stop: (tenant: string): Promise<store.Tenant> => setActive(tenant, false),

    /** Resumes a stopped tenant; tokens that have not expired work again. */
    resume: (tenant: string): Promise<store.Tenant> => setActive(tenant, true),
  };
};

export type Tenants = ReturnType<typeof createTenants>;
