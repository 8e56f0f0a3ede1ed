import { isDeepStrictEqual } from 'node:util';
import { systemCaller } from '@landfall/kernel/caller';
import type { Tx } from '@landfall/kernel/db/query';
import * as denylist from '@landfall/kernel/denylist';
import { event } from '@landfall/kernel/events/write';
import { Fault } from '@landfall/kernel/fault';
import { type TenantId, toTenantId } from '@landfall/kernel/ids';
import { parser, words } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import Type, { type Static } from 'typebox';
import * as store from './tenants.store.ts';

export type { Tenant } from './tenants.store.ts';

/** Says nothing of commas, blanks and quotes, so that a list of them is written as one word on a command line. */
const planName = Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' });

const slug = Type.String({ maxLength: 63, pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' });

const tenantTerms = Type.Object({
  tenant: slug,
  name: Type.Optional(words(200)),
  /** Registry plans that its clients may have; the first is the plan of those that name none. */
  plans: Type.Optional(Type.Array(planName, { maxItems: 100, uniqueItems: true })),
  /** Empty: none any more. */
  license: Type.Optional(Type.String({ maxLength: 200, pattern: '^[!-~]*$' })),
});

/** What the operator says of a tenant; what is left out stays, or is nothing of a tenant that is new. */
export type TenantTerms = Static<typeof tenantTerms>;

const OPERATOR = 'operator';

/** A change and the event that tells of it. */
interface Deed {
  readonly type: 'tenant.update' | 'tenant.stop' | 'tenant.resume';
  readonly is: store.Tenant;
}

/** Tenants as the operator of the installation sees them: no door of a tenant leads here. */
export const createTenants = ({ database, ids }: Pick<Deps, 'database' | 'ids'>) => {
  const readTerms = parser(tenantTerms);

  const tell = (tx: Tx, { type, is }: Deed | { type: 'tenant.create'; is: store.Tenant }): Promise<void> =>
    event(tx, systemCaller(is.tenant, OPERATOR, ids.uuid()), type, {
      entity: 'Tenant',
      id: is.id,
      version: 1,
      data: { name: is.name, plans: is.plans, license: is.license, active: is.active },
    });

  /** Of those who change a tenant one is at it; the event is the tenant's, the row the operator's, and both are written or none. */
  const change = (tenant: TenantId, decide: (was: store.Tenant | undefined) => Deed | undefined) =>
    database.write(tenant, async (tx) => {
      await store.serialize(tx, tenant);
      const was = await store.find(tx, tenant);
      const deed = decide(was);
      if (!deed) return was;
      await tell(tx, deed);
      await database.system.write(async (system) => {
        await store.updateAnywhere(system, deed.is);
        if (deed.type === 'tenant.stop') await denylist.stop(system, 'tenant', tenant);
        if (deed.type === 'tenant.resume') await denylist.resumeTenant(system, tenant);
      });
      return deed.is;
    });

  const create = (tenant: TenantId, name: string): Promise<boolean> =>
    database.write(tenant, async (tx) => {
      const id = ids.uuid();
      if (!(await store.insert(tx, tenant, id, name))) return false;
      await tell(tx, { type: 'tenant.create', is: { tenant, id, name, active: true, plans: [], license: null } });
      return true;
    });

  const known = (was: store.Tenant | undefined, tenant: string): store.Tenant => {
    if (!was) throw new Fault('RES_NOT_FOUND', `There is no tenant ${tenant}.`);
    return was;
  };

  const setActive = async (text: string, active: boolean): Promise<store.Tenant> => {
    const tenant = toTenantId(readTerms({ tenant: text }).tenant);
    const type = active ? 'tenant.resume' : 'tenant.stop';
    const is = await change(tenant, (found) => {
      const was = known(found, tenant);
      return was.active === active ? undefined : { type, is: { ...was, active } };
    });
    return known(is, tenant);
  };

  return {
    list: (): Promise<readonly store.Tenant[]> => database.system.read(store.listAnywhere),

    /** Brings a tenant to these terms, a new one if there is none of that slug. Again is the same. */
    async set(terms: TenantTerms): Promise<store.Tenant> {
      const { tenant: text, name, plans, license } = readTerms(terms);
      const tenant = toTenantId(text);
      await create(tenant, name ?? tenant);
      const is = await change(tenant, (found) => {
        const was = known(found, tenant);
        const next: store.Tenant = {
          ...was,
          name: name ?? was.name,
          plans: plans ?? was.plans,
          license: license === undefined ? was.license : license || null,
        };
        return isDeepStrictEqual(was, next) ? undefined : { type: 'tenant.update', is: next };
      });
      return known(is, tenant);
    },

    /** Ends at once whatever was issued in the tenant: no sign-in, no token, no call. */
    stop: (tenant: string): Promise<store.Tenant> => setActive(tenant, false),

    /** Lets a stopped tenant go on, with what was issued before and has not expired. */
    resume: (tenant: string): Promise<store.Tenant> => setActive(tenant, true),
  };
};

export type Tenants = ReturnType<typeof createTenants>;
