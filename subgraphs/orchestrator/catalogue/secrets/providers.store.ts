import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, integer, oneOf, text } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { secretProviderKinds } from '../../shared/enums.ts';
import { MAX_USES, usages } from '../integrations/integration-usage.ts';
import { noProbe, probeRecorder, remoteSystemColumns } from '../integrations/probe.ts';

export type ProviderId = Id<'SecretProvider'>;

const providers = table(
  'orchestrator.secret_providers',
  {
    id: id('SecretProvider'),
    name: text,
    kind: oneOf(...secretProviderKinds),
    address: text,
    mount: text,
    ...remoteSystemColumns,
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'secret provider',
    writes: { token: bytes, createdBy: text, updatedBy: text, updatedAt: instant },
  },
);

export const { getLocked, listByIds, notFound, remove } = providers;

const sealedProviders = table(
  'orchestrator.secret_providers.sealed',
  {
    id: id('SecretProvider'),
    name: text,
    address: text,
    mount: text,
    /** Token, sealed for the provider's id. */
    token: bytes,
    disabledAt: instant.nullable(),
  },
  { noun: 'secret provider' },
);

/** Reads a provider with its sealed token. */
export const { get: getSealed } = sealedProviders;

export type Provider = RowOf<typeof providers>;
export type SealedProvider = RowOf<typeof sealedProviders>;
export type NewProvider = Pick<Provider, 'id' | 'name' | 'kind' | 'address' | 'mount'> & Pick<SealedProvider, 'token'>;

/** Lists providers by name. */
export const list = (query: Query, tenant: TenantId) =>
  providers.listWhere(query, 'list', sql`tenant = ${tenant} order by name`);

/** Lists the existing providers among `names`, with their sealed tokens. */
export const listSealed = (query: Query, tenant: TenantId, names: readonly string[]) =>
  sealedProviders.listWhere(query, 'listSealed', sql`tenant = ${tenant} and name = any(${names}::text[])`);

/** Inserts a secret provider. @throws Fault RES_ALREADY_EXISTS */
export const insert = (tx: Tx, tenant: TenantId, values: NewProvider, by: string): Promise<Provider> =>
  onConflict(
    providers.insert(tx, tenant, { ...values, createdBy: by, updatedBy: by }),
    'secret_providers_name',
    () =>
      new Fault('RES_ALREADY_EXISTS', `A secret provider called ${values.name} is already there.`, {
        name: values.name,
      }),
  );

const change = (
  tx: Tx,
  tenant: TenantId,
  key: ProviderId,
  by: string,
  changes: Parameters<typeof providers.update>[3],
) => providers.update(tx, tenant, key, { ...changes, updatedBy: by, updatedAt: sql`kernel.now()` });

/** Updates a locked provider and deletes the result of its last probe; without a token, keeps the saved one. */
export const update = (
  tx: Tx,
  tenant: TenantId,
  { id, token, ...values }: Pick<Provider, 'id' | 'address' | 'mount'> & { readonly token: Buffer | undefined },
  by: string,
): Promise<Provider> => change(tx, tenant, id, by, { ...values, ...(token && { token }), ...noProbe });

/** Disables a locked secret provider, so that no request is sent to it, or enables it. */
export const setDisabled = (tx: Tx, tenant: TenantId, key: ProviderId, isDisabled: boolean, by: string) =>
  change(tx, tenant, key, by, { disabledAt: isDisabled ? sql`coalesce(disabled_at, kernel.now())` : null });

/** Lists the uses of a provider: targets, and newest variable sets of environments, that reference it by name. */
export const listUsages = (query: Query, tenant: TenantId, { name }: Provider) =>
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
      where e.tenant = ${tenant} and e.removed_at is null and exists (
        select from jsonb_array_elements(newest.variables) var where starts_with(var ->> 'secret', ${`vault:${name}/`}))
    ) as used
    order by type, name limit ${MAX_USES}`,
  );

export const recordProbe = probeRecorder(providers);
