import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, bytes, id, instant, integer, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';
import { secretProviderKinds } from '../../shared/enums.ts';
import type { Probe } from '../integrations/probe.ts';
import { MOST_USES, type Usage, usages } from '../integrations/usage.ts';

export type ProviderId = Id<'SecretProvider'>;

const providers = table('orchestrator.secret_providers', {
  id: id('SecretProvider'),
  name: text,
  kind: oneOf(...secretProviderKinds),
  address: text,
  mount: text,
  probeOk: boolean.nullable(),
  probeCode: text.nullable(),
  probeDetail: text.nullable(),
  probeAt: instant.nullable(),
  /** Since when it is not asked. */
  disabledAt: instant.nullable(),
  createdAt: instant,
  version: integer,
});

const sealedProviders = table('orchestrator.secret_providers.sealed', {
  id: id('SecretProvider'),
  name: text,
  address: text,
  mount: text,
  /** Sealed under the provider's id. */
  token: bytes,
  disabledAt: instant.nullable(),
});

/** What may be told of a provider. */
export type Provider = RowOf<typeof providers>;
export type SealedProvider = RowOf<typeof sealedProviders>;
export type NewProvider = Pick<Provider, 'id' | 'name' | 'kind' | 'address' | 'mount'> & Pick<SealedProvider, 'token'>;

/** By name. */
export const list = (query: Query, tenant: TenantId): Promise<Provider[]> =>
  query.list(
    providers,
    sql`/* orchestrator.secret_providers.list */
    select ${providers.columns} from orchestrator.secret_providers
    where tenant = ${tenant}
    order by name`,
  );

export const listByIds = (query: Query, tenant: TenantId, ids: readonly ProviderId[]): Promise<Provider[]> =>
  query.list(
    providers,
    sql`/* orchestrator.secret_providers.listByIds */
    select ${providers.columns} from orchestrator.secret_providers
    where tenant = ${tenant} and id = any(${ids}::uuid[])`,
  );

/** One with its token. */
export const findSealed = (query: Query, tenant: TenantId, provider: ProviderId): Promise<SealedProvider | undefined> =>
  query.find(
    sealedProviders,
    sql`/* orchestrator.secret_providers.findSealed */
    select ${sealedProviders.columns} from orchestrator.secret_providers
    where tenant = ${tenant} and id = ${provider}`,
  );

/** Those of `names` that exist, with their tokens. */
export const listSealed = (query: Query, tenant: TenantId, names: readonly string[]): Promise<SealedProvider[]> =>
  query.list(
    sealedProviders,
    sql`/* orchestrator.secret_providers.listSealed */
    select ${sealedProviders.columns} from orchestrator.secret_providers
    where tenant = ${tenant} and name = any(${names}::text[])`,
  );

/** @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, tenant: TenantId, given: NewProvider, by: string): Promise<Provider> =>
  onConflict(
    tx.get(
      providers,
      sql`/* orchestrator.secret_providers.insert */
      insert into orchestrator.secret_providers (tenant, id, name, kind, address, mount, token, created_by, updated_by)
      values (${tenant}, ${given.id}, ${given.name}, ${given.kind}, ${given.address}, ${given.mount}, ${given.token},
        ${by}, ${by})
      returning ${providers.columns}`,
    ),
    'secret_providers_name',
    () =>
      new Fault('RES_ALREADY_EXISTS', `A secret provider called ${given.name} is already there.`, { name: given.name }),
  );

export const lock = (tx: Tx, tenant: TenantId, provider: ProviderId): Promise<Provider | undefined> =>
  tx.find(
    providers,
    sql`/* orchestrator.secret_providers.lock */
    select ${providers.columns} from orchestrator.secret_providers
    where tenant = ${tenant} and id = ${provider} for update`,
  );

/** Changes a locked one; without a token it keeps its own. What it answered last says nothing of what it is now. */
export const update = (
  tx: Tx,
  tenant: TenantId,
  given: Pick<Provider, 'id' | 'address' | 'mount'> & { readonly token: Buffer | undefined },
  by: string,
): Promise<Provider> =>
  tx.get(
    providers,
    sql`/* orchestrator.secret_providers.update */
    update orchestrator.secret_providers set
      address = ${given.address}, mount = ${given.mount}, token = coalesce(${given.token ?? null}::bytea, token),
      probe_ok = null, probe_code = null, probe_detail = null, probe_at = null,
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${given.id}
    returning ${providers.columns}`,
  );

/** Has a locked one not be asked any more, or asked again. */
export const setDisabled = (
  tx: Tx,
  tenant: TenantId,
  provider: ProviderId,
  isDisabled: boolean,
  by: string,
): Promise<Provider> =>
  tx.get(
    providers,
    sql`/* orchestrator.secret_providers.setDisabled */
    update orchestrator.secret_providers set
      disabled_at = case when ${isDisabled} then coalesce(disabled_at, kernel.now()) end,
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${provider}
    returning ${providers.columns}`,
  );

export const remove = (tx: Tx, tenant: TenantId, provider: ProviderId): Promise<number> =>
  tx.run(sql`/* orchestrator.secret_providers.remove */
    delete from orchestrator.secret_providers where tenant = ${tenant} and id = ${provider}`);

/** Targets, and the newest variables of environments, that refer to the provider by its name. */
export const listUsages = (query: Query, tenant: TenantId, { name }: Provider): Promise<Usage[]> =>
  query.list(
    usages,
    sql`/* orchestrator.secret_providers.listUsages */
    select ${usages.columns} from (
      select 'Target' as type, t.id, t.name from orchestrator.targets t
      where t.tenant = ${tenant}
        and exists (select from jsonb_array_elements(t.secret_refs) ref where starts_with(ref ->> 'secret', ${`vault:${name}/`}))
      union all
      select 'VariableSet', e.id, e.name from orchestrator.environments e
      join lateral (
        select variables from orchestrator.variable_sets v
        where v.tenant = e.tenant and v.environment_id = e.id order by version desc limit 1
      ) as newest on true
      where e.tenant = ${tenant} and exists (
        select from jsonb_array_elements(newest.variables) var where starts_with(var ->> 'secret', ${`vault:${name}/`}))
    ) as used
    order by type, name limit ${MOST_USES}`,
  );

export const recordProbe = (
  tx: Tx,
  tenant: TenantId,
  provider: ProviderId,
  { ok, code, detail }: Probe,
  by: string,
): Promise<Provider | undefined> =>
  tx.find(
    providers,
    sql`/* orchestrator.secret_providers.recordProbe */
    update orchestrator.secret_providers
    set probe_ok = ${ok}, probe_code = ${code}, probe_detail = ${detail}, probe_at = kernel.now(),
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${provider}
    returning ${providers.columns}`,
  );
