import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, bytes, id, instant, integer, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';
import { Fault } from '@landfall/kernel/fault';
import type { Id, TenantId } from '@landfall/kernel/ids';
import type { Probe } from '../integrations/probe.ts';
import { secretProviderKinds } from '../words.ts';

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
});

/** What may be told of a provider. */
export type Provider = RowOf<typeof providers>;
export type SealedProvider = RowOf<typeof sealedProviders>;
export type NewProvider = Pick<Provider, 'id' | 'name' | 'kind' | 'address' | 'mount'> & Pick<SealedProvider, 'token'>;

/** By name. */
export const list = (query: Query, tenant: TenantId): Promise<Provider[]> =>
  query.list(
    providers,
    sql`/* orchestrator.secretProviders.list */
    select ${providers.columns} from orchestrator.secret_providers
    where tenant = ${tenant}
    order by name`,
  );

export const listByIds = (query: Query, tenant: TenantId, ids: readonly ProviderId[]): Promise<Provider[]> =>
  query.list(
    providers,
    sql`/* orchestrator.secretProviders.listByIds */
    select ${providers.columns} from orchestrator.secret_providers
    where tenant = ${tenant} and id = any(${ids}::uuid[])`,
  );

/** One with its token. */
export const findSealed = (query: Query, tenant: TenantId, provider: ProviderId): Promise<SealedProvider | undefined> =>
  query.find(
    sealedProviders,
    sql`/* orchestrator.secretProviders.findSealed */
    select ${sealedProviders.columns} from orchestrator.secret_providers
    where tenant = ${tenant} and id = ${provider}`,
  );

/** Those of `names` that exist, with their tokens. */
export const listSealed = (query: Query, tenant: TenantId, names: readonly string[]): Promise<SealedProvider[]> =>
  query.list(
    sealedProviders,
    sql`/* orchestrator.secretProviders.listSealed */
    select ${sealedProviders.columns} from orchestrator.secret_providers
    where tenant = ${tenant} and name = any(${names}::text[])`,
  );

/** @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, tenant: TenantId, given: NewProvider, by: string): Promise<Provider> =>
  onConflict(
    tx.get(
      providers,
      sql`/* orchestrator.secretProviders.insert */
      insert into orchestrator.secret_providers (tenant, id, name, kind, address, mount, token, created_by, updated_by)
      values (${tenant}, ${given.id}, ${given.name}, ${given.kind}, ${given.address}, ${given.mount}, ${given.token},
        ${by}, ${by})
      returning ${providers.columns}`,
    ),
    'secret_providers_name',
    () =>
      new Fault('RES_ALREADY_EXISTS', `A secret provider called ${given.name} is already there.`, { name: given.name }),
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
    sql`/* orchestrator.secretProviders.recordProbe */
    update orchestrator.secret_providers
    set probe_ok = ${ok}, probe_code = ${code}, probe_detail = ${detail}, probe_at = kernel.now(),
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${provider}
    returning ${providers.columns}`,
  );
