import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { forges, integrationKinds } from '../../shared/enums.ts';
import { MAX_USES, usages } from './integration-usage.ts';
import { noProbe, probeRecorder, remoteSystemColumns } from './probe.ts';

export type IntegrationId = Id<'Integration'>;

const integrations = table(
  'orchestrator.integrations',
  {
    id: id('Integration'),
    kind: oneOf(...integrationKinds),
    /** Interface of a forge; null for other kinds. */
    provider: oneOf(...forges).nullable(),
    name: text,
    baseUrl: text,
    host: text,
    /** Credentials, sealed for the integration's id. */
    credentials: bytes.nullable(),
    ...remoteSystemColumns,
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'integration',
    writes: { createdBy: text, updatedBy: text, updatedAt: instant },
  },
);

export const { find, get, getLocked, listByIds, notFound, remove } = integrations;

export type Integration = RowOf<typeof integrations>;
export type NewIntegration = Pick<
  Integration,
  'id' | 'kind' | 'provider' | 'name' | 'baseUrl' | 'host' | 'credentials'
>;

/** Lists all registries. */
export const listRegistries = (query: Query, tenant: TenantId) =>
  integrations.listWhere(query, 'listRegistries', sql`tenant = ${tenant} and kind = 'registry' order by name`);

/** Lists all forges. */
export const listForges = (query: Query, tenant: TenantId) =>
  integrations.listWhere(query, 'listForges', sql`tenant = ${tenant} and kind = 'scm' order by name`);

/** Lists integrations by name. */
export const list = (query: Query, tenant: TenantId) =>
  integrations.listWhere(query, 'list', sql`tenant = ${tenant} order by name`);

/** Lists the registries with these hosts. */
export const listRegistriesByHosts = (query: Query, tenant: TenantId, hosts: readonly string[]) =>
  integrations.listWhere(
    query,
    'listRegistriesByHosts',
    sql`tenant = ${tenant} and kind = 'registry' and host = any(${hosts}::text[])`,
  );

const byName = (write: Promise<Integration>, values: Pick<Integration, 'name' | 'host'>): Promise<Integration> => {
  const duplicateName = (field: 'name' | 'host') => () =>
    new Fault('RES_ALREADY_EXISTS', `An integration with the ${field} ${values[field]} is already there.`, {
      [field]: values[field],
    });
  return onConflict(
    onConflict(
      onConflict(write, 'integrations_name', duplicateName('name')),
      'integrations_host',
      duplicateName('host'),
    ),
    'integrations_forge',
    duplicateName('host'),
  );
};

/** Inserts an integration. @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, tenant: TenantId, values: NewIntegration, by: string): Promise<Integration> =>
  byName(integrations.insert(tx, tenant, { ...values, createdBy: by, updatedBy: by }), values);

const change = (
  tx: Tx,
  tenant: TenantId,
  key: IntegrationId,
  by: string,
  changes: Parameters<typeof integrations.update>[3],
) => integrations.update(tx, tenant, key, { ...changes, updatedBy: by, updatedAt: sql`kernel.now()` });

/** Updates a locked integration and deletes the result of its last probe, which was made with other settings. */
export const update = (
  tx: Tx,
  tenant: TenantId,
  { id, ...values }: Pick<Integration, 'id' | 'name' | 'baseUrl' | 'host' | 'credentials'>,
  by: string,
): Promise<Integration> => byName(change(tx, tenant, id, by, { ...values, ...noProbe }), values);

/** Disables a locked integration, so that no request is sent to it, or enables it. */
export const setDisabled = (tx: Tx, tenant: TenantId, key: IntegrationId, isDisabled: boolean, by: string) =>
  change(tx, tenant, key, by, { disabledAt: isDisabled ? sql`coalesce(disabled_at, kernel.now())` : null });

/**
 * Lists releases, unless deprecated, release sources, and environments that use an integration as registry or metrics
 * server.
 */
export const listUsages = (query: Query, tenant: TenantId, { id: own, kind, host }: Integration) =>
  query.list(
    usages,
    sql`/* orchestrator.integrations.listUsages */
    select ${usages.columns} from (
      select distinct 'Release' as type, r.id, r.name || ' ' || r.semver as name
      from orchestrator.release_components c
      join orchestrator.releases r on r.tenant = c.tenant and r.id = c.release_id
      where c.tenant = ${tenant} and ${kind}::text = 'registry' and split_part(c.repository, '/', 1) = ${host}
        and r.status <> 'deprecated'
      union all
      select 'ReleaseSource', s.id, p.name || ' ' || s.component
      from orchestrator.release_sources s
      join orchestrator.products p on p.tenant = s.tenant and p.id = s.product_id
      where s.tenant = ${tenant} and ${kind}::text = 'registry' and split_part(s.repository, '/', 1) = ${host}
      union all
      select 'Environment', id, name from orchestrator.environments
      where tenant = ${tenant} and analysis ->> 'integrationId' = ${own}::text and removed_at is null
    ) as used
    order by type, name limit ${MAX_USES}`,
  );

export const recordProbe = probeRecorder(integrations);
