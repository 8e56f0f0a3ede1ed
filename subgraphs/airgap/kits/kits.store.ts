import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, json, oneOf, text, uuid } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { changesSchema } from './changes.ts';
import { KIT_KINDS, type SignedKit } from './manifest.ts';

const kits = table('airgap.kits', {
  digest: text,
  kitId: uuid,
  kind: oneOf(...KIT_KINDS),
  channel: text,
  sequence: integer,
  envelope: text,
  changes: json(changesSchema),
  /** DSSE envelope of the receipt; null until it is signed. */
  receipt: text.nullable(),
  isActive: boolean,
  installedAt: instant,
});

/** Kit that was installed; the active one of its channel, or an earlier one. */
export type Kit = RowOf<typeof kits>;

export const MAX_CHANNELS = 200;

/** Active kits by channel. */
export const listActive = (query: Query, tenant: TenantId): Promise<Kit[]> =>
  kits.listWhere(query, 'listActive', sql`tenant = ${tenant} and is_active order by channel limit ${MAX_CHANNELS}`);

export const findActive = (query: Query, tenant: TenantId, channel: string): Promise<Kit | undefined> =>
  kits.findWhere(query, 'findActive', sql`tenant = ${tenant} and channel = ${channel} and is_active`);

/** Kit of a channel with the highest sequence, of any tenant: they share the feeds. Role `landfall_system`. */
export const findNewestShared = (query: Query, channel: string): Promise<Kit | undefined> =>
  kits.findWhere(
    query,
    'findNewestShared',
    sql`channel = ${channel} and kind = 'feeds' and is_active order by sequence desc limit 1`,
  );

export const findByDigest = (query: Query, tenant: TenantId, digest: string): Promise<Kit | undefined> =>
  kits.findWhere(query, 'findByDigest', sql`tenant = ${tenant} and digest = ${digest}`);

export const listByDigests = (query: Query, tenant: TenantId, digests: readonly string[]): Promise<Kit[]> =>
  kits.listWhere(query, 'listByDigests', sql`tenant = ${tenant} and digest = any(${digests}::text[])`);

const lock = table('airgap.kits channel lock', { isMine: boolean });

/** Locks a channel until the transaction ends, unless another one has it; `*` owns the feeds, which all tenants share. */
export const tryLockChannel = async (tx: Tx, owner: TenantId | '*', channel: string): Promise<boolean> => {
  const { isMine } = await tx.get(
    lock,
    sql`/* airgap.kits.tryLockChannel */
    select pg_try_advisory_xact_lock(hashtextextended(${owner} || '/' || ${channel}, 7)) as is_mine`,
  );
  return isMine;
};

/** Makes a kit the active one of its channel. */
export const activate = async (
  tx: Tx,
  tenant: TenantId,
  kit: Omit<Kit, 'receipt' | 'isActive' | 'installedAt'>,
  hashes: readonly string[],
): Promise<void> => {
  await tx.run(sql`/* airgap.kits.deactivate */
    update airgap.kits set is_active = false where tenant = ${tenant} and channel = ${kit.channel} and is_active`);
  await kits.insert(tx, tenant, kit);
  await tx.run(sql`/* airgap.kit_contents.insertAll */
    insert into airgap.kit_contents (tenant, hash, kit_digest)
    select distinct ${tenant}, hash, ${kit.digest} from unnest(${hashes}::text[]) as given (hash)
    on conflict do nothing`);
};

/** Keeps the receipt of a kit; the first one stays. */
export const setReceipt = (tx: Tx, tenant: TenantId, digest: string, receipt: string): Promise<number> =>
  tx.run(sql`/* airgap.kits.setReceipt */
    update airgap.kits set receipt = ${receipt} where tenant = ${tenant} and digest = ${digest} and receipt is null`);

const contents = table('airgap.kit_contents', { hash: text, kitDigest: text });

/** Content that a want-list names at most. */
export const MAX_HASHES = 50_000;

/** Components of a kit that are kept, also with another kit, and those that are kept with it. */
export const listContentsOf = (query: Query, tenant: TenantId, { value, digest }: SignedKit) =>
  contents.listWhere(
    query,
    'listOfKit',
    sql`tenant = ${tenant}
      and (hash = any(${value.components.map(({ hash }) => hash)}::text[]) or kit_digest = ${digest})`,
  );

/** Hashes of the content of every installed kit, in order. */
export const listContents = async (query: Query, tenant: TenantId, limit: number): Promise<readonly string[]> => {
  const rows = await contents.listWhere(query, 'listHashes', sql`tenant = ${tenant} order by hash limit ${limit}`);
  return rows.map(({ hash }) => hash);
};

const carried = table('airgap.carried_releases', { releaseId: id('Release'), kitDigest: text });

export const insertCarried = (tx: Tx, tenant: TenantId, releaseId: string, kitDigest: string): Promise<number> =>
  tx.run(sql`/* airgap.carried_releases.insert */
    insert into airgap.carried_releases (tenant, release_id, kit_digest)
    values (${tenant}, ${releaseId}, ${kitDigest}) on conflict do nothing`);

/** Kits by which some releases came. */
export const listCarried = (query: Query, tenant: TenantId, releaseIds: readonly string[]) =>
  carried.listWhere(query, 'listOfReleases', sql`tenant = ${tenant} and release_id = any(${releaseIds}::uuid[])`);
