import type { TenantId } from '@landfall/kernel/core/ids';
import { digestColumn } from '@landfall/kernel/crypto/digest-column';
import { instant, integer, tenantId, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { FIRST_STAMP } from './stamp.ts';

const nodes = table(
  'airgap.sync_nodes',
  { tenant: tenantId, siteId: uuid, stamp: text, sequence: integer, bundleDigest: digestColumn.nullable() },
  { noun: 'site of the tenant', key: 'tenant' },
);

/** Own site of a tenant. */
export type SyncNode = RowOf<typeof nodes>;

export const findNode = (query: Query, tenant: TenantId): Promise<SyncNode | undefined> =>
  nodes.find(query, tenant, tenant);

/** The own site of a tenant, locked; it begins with this id. */
export const lockNode = async (tx: Tx, tenant: TenantId, newNode: string): Promise<SyncNode> => {
  await nodes.insertIfAbsent(tx, tenant, { siteId: newNode, stamp: FIRST_STAMP });
  return nodes.getLocked(tx, tenant, tenant);
};

/** Moves the clock of the own site on, never back. */
export const moveClock = (tx: Tx, tenant: TenantId, stamp: string): Promise<SyncNode> =>
  nodes.update(tx, tenant, tenant, { stamp: sql`greatest(stamp, ${stamp})` });

const exported = table('airgap.sync_exports', {
  sequence: integer,
  digest: digestColumn,
  previousDigest: digestColumn.nullable(),
  createdAt: text,
  entries: integer,
  sizeBytes: integer,
});

/** Bundle that left this site. */
export type SyncExport = RowOf<typeof exported>;

export const findExport = (query: Query, tenant: TenantId, sequence: number): Promise<SyncExport | undefined> =>
  exported.findWhere(query, 'find', sql`tenant = ${tenant} and sequence = ${sequence}`);

/** Notes a bundle as the latest of this site. */
export const insertExport = async (tx: Tx, tenant: TenantId, bundle: SyncExport): Promise<SyncExport> => {
  await nodes.update(tx, tenant, tenant, { sequence: bundle.sequence, bundleDigest: bundle.digest });
  return exported.insert(tx, tenant, bundle);
};

const sites = table(
  'airgap.sync_sites',
  {
    siteId: uuid,
    name: text,
    publicKey: text,
    keyId: text,
    sequence: integer,
    bundleDigest: digestColumn.nullable(),
    stamp: text,
    addedBy: text,
    addedAt: instant,
    importedAt: instant.nullable(),
    version: integer,
  },
  { noun: 'site', key: 'siteId' },
);

/** Site whose bundles a person admitted. */
export type SyncSite = RowOf<typeof sites>;

export const { find: findSite, findLocked: findSiteLocked, insert: insertSite, update: updateSite } = sites;

export const MAX_SITES = 1_000;

export const listSites = (query: Query, tenant: TenantId): Promise<SyncSite[]> =>
  sites.listWhere(query, 'list', sql`tenant = ${tenant} order by name, site_id limit ${MAX_SITES}`);
