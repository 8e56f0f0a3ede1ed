import type { TenantId } from '@landfall/kernel/core/ids';
import { bytes, id, instant, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ChannelId } from './channels.store.ts';

const secrets = table(
  'notify.webhook_secrets',
  {
    id: id('WebhookSecret'),
    channelId: id('NotificationChannel'),
    hint: text,
    fingerprint: text,
    createdAt: instant,
    activeAt: instant,
    expiresAt: instant.nullable(),
    confirmedAt: instant.nullable(),
  },
  { noun: 'webhook secret', writes: { sealed: bytes } },
);

/** Secret that signs a webhook's deliveries, without the secret itself. */
export type WebhookSecret = RowOf<typeof secrets>;

export const { insert } = secrets;

/** Secrets of a channel that have not expired, the newest first. */
export const list = (query: Query, tenant: TenantId, channelId: ChannelId): Promise<WebhookSecret[]> =>
  secrets.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and channel_id = ${channelId} and (expires_at is null or expires_at > kernel.now())
      order by active_at desc, id desc`,
  );

/** Secrets of channels that have not expired, the newest first. */
export const listOfChannels = (
  query: Query,
  tenant: TenantId,
  channelIds: readonly ChannelId[],
): Promise<WebhookSecret[]> =>
  secrets.listWhere(
    query,
    'listOfChannels',
    sql`tenant = ${tenant} and channel_id = any(${channelIds}::uuid[]) and (expires_at is null or expires_at > kernel.now())
      order by active_at desc, id desc`,
  );

/** Ends the secrets without an end. */
export const retireAll = (tx: Tx, tenant: TenantId, channelId: ChannelId, expiresAt: Date): Promise<number> =>
  tx.run(sql`/* notify.webhook_secrets.retireAll */
    update notify.webhook_secrets set expires_at = ${expiresAt}
    where tenant = ${tenant} and channel_id = ${channelId} and (expires_at is null or expires_at > ${expiresAt})`);

/** Records that the receiver accepted a delivery that the newest secret alone signed. */
export const confirm = (tx: Tx, tenant: TenantId, secretId: WebhookSecret['id']): Promise<number> =>
  tx.run(sql`/* notify.webhook_secrets.confirm */
    update notify.webhook_secrets set confirmed_at = kernel.now()
    where tenant = ${tenant} and id = ${secretId} and confirmed_at is null`);

/** Deletes secrets that expired. @returns their number */
export const removeExpired = (tx: Tx, tenant: TenantId, channelId: ChannelId): Promise<number> =>
  secrets.removeWhere(
    tx,
    'removeExpired',
    sql`tenant = ${tenant} and channel_id = ${channelId} and expires_at <= kernel.now()`,
  );

const sealedSecrets = table('notify.webhook_secrets.sealed', {
  tenant: tenantId,
  id: id('WebhookSecret'),
  channelId: id('NotificationChannel'),
  sealed: bytes,
  confirmedAt: instant.nullable(),
});

export type SealedSecret = RowOf<typeof sealedSecrets>;

/** Secrets that sign now, the newest first, of channels of several tenants. Role `landfall_system`. */
export const listSealed = (
  query: Query,
  keys: readonly { readonly tenant: TenantId; readonly channelId: ChannelId }[],
): Promise<SealedSecret[]> =>
  query.list(
    sealedSecrets,
    sql`/* notify.webhook_secrets.listSealed */
    select s.tenant, s.id, s.channel_id, s.sealed, s.confirmed_at
    from unnest(${keys.map(({ tenant }) => tenant)}::text[], ${keys.map(({ channelId }) => channelId)}::uuid[])
      as key (tenant, channel_id)
    join notify.webhook_secrets s on s.tenant = key.tenant and s.channel_id = key.channel_id
    where s.active_at <= kernel.now() and (s.expires_at is null or s.expires_at > kernel.now())
    order by s.active_at desc, s.id desc`,
  );
