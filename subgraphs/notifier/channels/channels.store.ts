import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, id, instant, integer, json, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import { CHANNEL_TYPES } from '../templates/document.ts';

export type ChannelId = Id<'NotificationChannel'>;

const config = json(Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({})));

const columns = {
  id: id('NotificationChannel'),
  name: text,
  type: oneOf(...CHANNEL_TYPES),
  config,
  forPeople: boolean,
  isEnabled: boolean,
  disabledReason: text.nullable(),
  failures: integer,
  openUntil: instant.nullable(),
  failingSince: instant.nullable(),
  createdBy: text,
  createdAt: instant,
  updatedAt: instant,
  version: integer,
};

const channels = table('notify.channels', columns, {
  noun: 'notification channel',
  live: sql`removed_at is null`,
  writes: { credential: bytes.nullable(), removedAt: instant.nullable() },
});

/** Channel without its credential. */
export type Channel = RowOf<typeof channels>;

export const { find, get, getLocked, insertIfAbsent, listByIds, update } = channels;

/** Channels of a tenant by name. */
export const list = (query: Query, tenant: TenantId): Promise<Channel[]> =>
  channels.listWhere(query, 'list', sql`tenant = ${tenant} and removed_at is null order by name`);

/** Channels that carry messages to people, by name. */
export const listForPeople = (query: Query, tenant: TenantId): Promise<Channel[]> =>
  channels.listWhere(
    query,
    'listForPeople',
    sql`tenant = ${tenant} and for_people and is_enabled and removed_at is null order by name`,
  );

export const findByName = (query: Query, tenant: TenantId, name: string): Promise<Channel | undefined> =>
  channels.findWhere(query, 'findByName', sql`tenant = ${tenant} and name = ${name} and removed_at is null`);

export const hasCredential = (query: Query, tenant: TenantId, channelId: ChannelId): Promise<boolean> =>
  channels.existsWhere(
    query,
    'hasCredential',
    sql`tenant = ${tenant} and id = ${channelId} and credential is not null`,
  );

const sealedChannels = table('notify.channels.sealed', {
  tenant: tenantId,
  id: id('NotificationChannel'),
  type: oneOf(...CHANNEL_TYPES),
  config,
  credential: bytes.nullable(),
  isEnabled: boolean,
  disabledReason: text.nullable(),
  failures: integer,
  isOpen: boolean,
  openUntil: instant.nullable(),
  failingSince: instant.nullable(),
});

/** Channel with its sealed credential and the state of its breaker. */
export type SealedChannel = RowOf<typeof sealedChannels>;

/** Channels of several tenants that are not removed, for the worker. Role `landfall_system`. */
export const listSealed = (
  query: Query,
  keys: readonly { readonly tenant: TenantId; readonly channelId: ChannelId }[],
): Promise<SealedChannel[]> =>
  query.list(
    sealedChannels,
    sql`/* notify.channels.listSealed */
    select c.tenant, c.id, c.type, c.config, c.credential, c.is_enabled, c.disabled_reason, c.failures,
      coalesce(c.open_until > kernel.now(), false) as is_open, c.open_until, c.failing_since
    from unnest(${keys.map(({ tenant }) => tenant)}::text[], ${keys.map(({ channelId }) => channelId)}::uuid[])
      as key (tenant, id)
    join notify.channels c on c.tenant = key.tenant and c.id = key.id
    where c.removed_at is null`,
  );

/** Claims the probe of a breaker that was open long enough: one process at a time sends one delivery. */
export const claimProbe = async (tx: Tx, tenant: TenantId, channelId: ChannelId, pauseSeconds: number) =>
  (await tx.run(sql`/* notify.channels.claimProbe */
    update notify.channels set open_until = kernel.now() + make_interval(secs => ${pauseSeconds})
    where tenant = ${tenant} and id = ${channelId} and open_until <= kernel.now()`)) > 0;

/** Closes the breaker after a success. */
export const noteSuccess = (tx: Tx, tenant: TenantId, channelId: ChannelId): Promise<number> =>
  tx.run(sql`/* notify.channels.noteSuccess */
    update notify.channels set failures = 0, open_until = null, failing_since = null
    where tenant = ${tenant} and id = ${channelId} and (failures > 0 or failing_since is not null)`);

/** Counts failures in a row; at the threshold the breaker opens. */
export const noteFailures = (
  tx: Tx,
  tenant: TenantId,
  channelId: ChannelId,
  failures: number,
  { threshold, pauseSeconds }: { readonly threshold: number; readonly pauseSeconds: number },
): Promise<number> =>
  tx.run(sql`/* notify.channels.noteFailures */
    update notify.channels set failures = failures + ${failures},
      failing_since = coalesce(failing_since, kernel.now()),
      open_until = case when failures + ${failures} >= ${threshold}
        then kernel.now() + make_interval(secs => ${pauseSeconds}) else open_until end
    where tenant = ${tenant} and id = ${channelId}`);

/** Disables a channel whose receiver is gone; one that is disabled already stays as it is. */
export const disable = (tx: Tx, tenant: TenantId, channelId: ChannelId, reason: string): Promise<Channel | undefined> =>
  tx.find(
    channels,
    sql`/* notify.channels.disable */
    update notify.channels set is_enabled = false, disabled_reason = ${reason}, updated_at = kernel.now(),
      version = version + 1
    where tenant = ${tenant} and id = ${channelId} and is_enabled returning ${channels.columns}`,
  );

const channelTypes = table('notify.channels.types', {
  tenant: tenantId,
  id: id('NotificationChannel'),
  type: oneOf(...CHANNEL_TYPES),
});

/** Types of the channels of tenants. Role `landfall_system`. */
export const listTypes = (query: Query, tenants: readonly TenantId[]) =>
  query.list(
    channelTypes,
    sql`/* notify.channels.listTypes */
    select tenant, id, type from notify.channels where tenant = any(${tenants}::text[]) and removed_at is null`,
  );

/** Channels of some ids that are not removed. */
export const listExisting = (query: Query, tenant: TenantId, ids: readonly string[]): Promise<Channel[]> =>
  channels.listWhere(
    query,
    'listExisting',
    sql`tenant = ${tenant} and id = any(${ids}::uuid[]) and removed_at is null`,
  );
