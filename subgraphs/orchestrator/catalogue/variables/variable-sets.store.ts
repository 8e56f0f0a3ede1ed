import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, integer, json, text } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type, { type Static } from 'typebox';

type EnvironmentId = Id<'Environment'>;

/** Variable with either a plain value or a secret reference; the other one is null. */
export const variable = Type.Object({
  name: Type.String(),
  value: Type.Union([Type.String(), Type.Null()]),
  secret: Type.Union([Type.String(), Type.Null()]),
});

export type Variable = Static<typeof variable>;

const variableSets = table('orchestrator.variable_sets', {
  environmentId: id('Environment'),
  version: integer,
  variables: json(Type.Array(variable)),
  createdBy: text,
  createdAt: instant,
});

export type VariableSet = RowOf<typeof variableSets>;

/** Reads the newest variable set of an environment; undefined if it has none. */
export const findNewest = (query: Query, tenant: TenantId, environment: EnvironmentId) =>
  variableSets.findWhere(
    query,
    'findNewest',
    sql`tenant = ${tenant} and environment_id = ${environment}
    order by version desc limit 1`,
  );

/** Reads the variable set that a deployment recorded. */
export const find = (query: Query, tenant: TenantId, environment: EnvironmentId, version: number) =>
  variableSets.findWhere(
    query,
    'find',
    sql`tenant = ${tenant} and environment_id = ${environment} and version = ${version}`,
  );

/** Lists these versions. */
export const listVersions = (
  query: Query,
  tenant: TenantId,
  versions: readonly Pick<VariableSet, 'environmentId' | 'version'>[],
) =>
  variableSets.listWhere(
    query,
    'listVersions',
    sql`tenant = ${tenant} and (environment_id, version) in (select * from unnest(
      ${versions.map(({ environmentId }) => environmentId)}::uuid[], ${versions.map(({ version }) => version)}::integer[]))`,
  );

/** Lists all versions of these environments, newest first. */
export const listByEnvironments = (query: Query, tenant: TenantId, environments: readonly EnvironmentId[]) =>
  variableSets.listWhere(
    query,
    'listByEnvironments',
    sql`tenant = ${tenant} and environment_id = any(${environments}::uuid[])
    order by environment_id, version desc`,
  );

/** Lists the newest version of each of these environments. */
export const listNewest = (query: Query, tenant: TenantId, environments: readonly EnvironmentId[]) =>
  query.list(
    variableSets,
    sql`/* orchestrator.variable_sets.listNewest */
    select distinct on (environment_id) ${variableSets.columns} from orchestrator.variable_sets
    where tenant = ${tenant} and environment_id = any(${environments}::uuid[])
    order by environment_id, version desc`,
  );

/** Appends a version; throws Fault RES_VERSION_CONFLICT when another writer inserted the version first. */
export const insert = (
  tx: Tx,
  tenant: TenantId,
  { environmentId, version, variables }: Pick<VariableSet, 'environmentId' | 'version' | 'variables'>,
  by: string,
): Promise<VariableSet> =>
  onConflict(
    variableSets.insert(tx, tenant, { environmentId, version, variables, createdBy: by }),
    'variable_sets_version',
    () =>
      new Fault('RES_VERSION_CONFLICT', `Version ${version} was saved by somebody else. Read it again.`, {
        expected: version - 1,
        actual: version,
      }),
  );
