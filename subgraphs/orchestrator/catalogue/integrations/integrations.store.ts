import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, bytes, id, instant, integer, oneOf, type RowOf, table, text } from '@landfall/kernel/db/table';
import { integrationKinds } from '../../shared/enums.ts';
import type { Probe } from './probe.ts';
import { MOST_USES, type Usage, usages } from './usage.ts';

export type IntegrationId = Id<'Integration'>;

const integrations = table('orchestrator.integrations', {
  id: id('Integration'),
  kind: oneOf(...integrationKinds),
  name: text,
  baseUrl: text,
  host: text,
  /** Sealed under the integration's id. */
  credentials: bytes.nullable(),
  probeOk: boolean.nullable(),
  probeCode: text.nullable(),
  probeDetail: text.nullable(),
  probeAt: instant.nullable(),
  /** Since when it is not asked. */
  disabledAt: instant.nullable(),
  createdAt: instant,
  version: integer,
});

export type Integration = RowOf<typeof integrations>;
export type NewIntegration = Pick<Integration, 'id' | 'kind' | 'name' | 'baseUrl' | 'host' | 'credentials'>;

/** Every registry. */
export const listRegistries = (query: Query, tenant: TenantId): Promise<Integration[]> =>
  query.list(
    integrations,
    sql`/* orchestrator.integrations.listRegistries */
    select ${integrations.columns} from orchestrator.integrations
    where tenant = ${tenant} and kind = 'registry'
    order by name`,
  );

/** By name. */
export const list = (query: Query, tenant: TenantId): Promise<Integration[]> =>
  query.list(
    integrations,
    sql`/* orchestrator.integrations.list */
    select ${integrations.columns} from orchestrator.integrations
    where tenant = ${tenant}
    order by name`,
  );

export const listByIds = (query: Query, tenant: TenantId, ids: readonly IntegrationId[]): Promise<Integration[]> =>
  query.list(
    integrations,
    sql`/* orchestrator.integrations.listByIds */
    select ${integrations.columns} from orchestrator.integrations
    where tenant = ${tenant} and id = any(${ids}::uuid[])`,
  );

export const find = (query: Query, tenant: TenantId, integration: IntegrationId): Promise<Integration | undefined> =>
  query.find(
    integrations,
    sql`/* orchestrator.integrations.find */
    select ${integrations.columns} from orchestrator.integrations
    where tenant = ${tenant} and id = ${integration}`,
  );

/** The registries of these hosts. */
export const listRegistriesByHosts = (
  query: Query,
  tenant: TenantId,
  hosts: readonly string[],
): Promise<Integration[]> =>
  query.list(
    integrations,
    sql`/* orchestrator.integrations.listRegistriesByHosts */
    select ${integrations.columns} from orchestrator.integrations
    where tenant = ${tenant} and kind = 'registry' and host = any(${hosts}::text[])`,
  );

const named = (write: Promise<Integration>, given: Pick<Integration, 'name' | 'host'>): Promise<Integration> => {
  const taken = (field: 'name' | 'host') => () =>
    new Fault('RES_ALREADY_EXISTS', `An integration with the ${field} ${given[field]} is already there.`, {
      [field]: given[field],
    });
  return onConflict(onConflict(write, 'integrations_name', taken('name')), 'integrations_host', taken('host'));
};

/** @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, tenant: TenantId, given: NewIntegration, by: string): Promise<Integration> => {
  const write = tx.get(
    integrations,
    sql`/* orchestrator.integrations.insert */
    insert into orchestrator.integrations (tenant, id, kind, name, base_url, host, credentials, created_by, updated_by)
    values (${tenant}, ${given.id}, ${given.kind}, ${given.name}, ${given.baseUrl}, ${given.host},
      ${given.credentials}, ${by}, ${by})
    returning ${integrations.columns}`,
  );
  return named(write, given);
};

export const lock = (tx: Tx, tenant: TenantId, integration: IntegrationId): Promise<Integration | undefined> =>
  tx.find(
    integrations,
    sql`/* orchestrator.integrations.lock */
    select ${integrations.columns} from orchestrator.integrations
    where tenant = ${tenant} and id = ${integration} for update`,
  );

/** Changes a locked one. What it answered last says nothing of another address or other credentials. */
export const update = (
  tx: Tx,
  tenant: TenantId,
  given: Pick<Integration, 'id' | 'name' | 'baseUrl' | 'host' | 'credentials'>,
  by: string,
): Promise<Integration> =>
  named(
    tx.get(
      integrations,
      sql`/* orchestrator.integrations.update */
      update orchestrator.integrations set
        name = ${given.name}, base_url = ${given.baseUrl}, host = ${given.host}, credentials = ${given.credentials},
        probe_ok = null, probe_code = null, probe_detail = null, probe_at = null,
        updated_by = ${by}, updated_at = kernel.now(), version = version + 1
      where tenant = ${tenant} and id = ${given.id}
      returning ${integrations.columns}`,
    ),
    given,
  );

/** Has a locked one not be asked any more, or asked again. */
export const setDisabled = (
  tx: Tx,
  tenant: TenantId,
  integration: IntegrationId,
  isDisabled: boolean,
  by: string,
): Promise<Integration> =>
  tx.get(
    integrations,
    sql`/* orchestrator.integrations.setDisabled */
    update orchestrator.integrations set
      disabled_at = case when ${isDisabled} then coalesce(disabled_at, kernel.now()) end,
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${integration}
    returning ${integrations.columns}`,
  );

export const remove = (tx: Tx, tenant: TenantId, integration: IntegrationId): Promise<number> =>
  tx.run(sql`/* orchestrator.integrations.remove */
    delete from orchestrator.integrations where tenant = ${tenant} and id = ${integration}`);

/** Releases that are not deprecated and whose components are in the registry; environments whose analysis asks it. */
export const listUsages = (query: Query, tenant: TenantId, { id: own, host }: Integration): Promise<Usage[]> =>
  query.list(
    usages,
    sql`/* orchestrator.integrations.listUsages */
    select ${usages.columns} from (
      select distinct 'Release' as type, r.id, r.name || ' ' || r.semver as name
      from orchestrator.release_components c
      join orchestrator.releases r on r.tenant = c.tenant and r.id = c.release_id
      where c.tenant = ${tenant} and split_part(c.repository, '/', 1) = ${host} and r.status <> 'deprecated'
      union all
      select 'Environment', id, name from orchestrator.environments
      where tenant = ${tenant} and analysis ->> 'integrationId' = ${own}::text
    ) as used
    order by type, name limit ${MOST_USES}`,
  );

export const recordProbe = (
  tx: Tx,
  tenant: TenantId,
  integration: IntegrationId,
  { ok, code, detail }: Probe,
  by: string,
): Promise<Integration | undefined> =>
  tx.find(
    integrations,
    sql`/* orchestrator.integrations.recordProbe */
    update orchestrator.integrations
    set probe_ok = ${ok}, probe_code = ${code}, probe_detail = ${detail}, probe_at = kernel.now(),
      updated_by = ${by}, updated_at = kernel.now(), version = version + 1
    where tenant = ${tenant} and id = ${integration}
    returning ${integrations.columns}`,
  );
