import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, bytes, id, instant, integer, oneOf, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ClientId } from '../clients/clients.ts';
import type { UserId } from '../users/users.ts';
export type DeviceCodeId = Id<'DeviceCode'>;

const columns = {
  tenant: tenantId,
  id: id('DeviceCode'),
  userCode: text,
  clientId: id('Client'),
  scopes: textArray,
  resources: textArray,
  /** Address of the device, shown to the person who approves it (RFC 8628 5.4). */
  address: text.nullable(),
  state: oneOf('pending', 'approved', 'denied'),
  userId: id('User').nullable(),
  amr: textArray,
  authTime: instant.nullable(),
  expiresAt: instant,
  consumedAt: instant.nullable(),
  familyId: id('TokenFamily').nullable(),
};

const devices = table('authority.device_codes', columns, {
  noun: 'device code',
  writes: { hash: bytes, pollSeconds: integer },
});

export const { find, insertIfAbsent } = devices;

const polls = table('authority.device_codes poll', {
  tenant: tenantId,
  id: id('DeviceCode'),
  clientId: id('Client'),
  state: oneOf('pending', 'approved', 'denied'),
  userId: id('User').nullable(),
  isExpired: boolean,
  isSpent: boolean,
  isTooEarly: boolean,
});

/** A device's request for tokens (RFC 8628). */
export type DeviceCode = RowOf<typeof devices>;

export type Poll = RowOf<typeof polls>;

/** Finds the pending request of a user code of eight letters, in any tenant. Role `landfall_system`. */
export const findByUserCode = (query: Query, userCode: string) =>
  devices.findWhere(
    query,
    'findByUserCode',
    sql`user_code = ${userCode} and state = 'pending' and expires_at > kernel.now()`,
  );

/**
 * Moves a pending request of a client that serves every tenant to the tenant of the person who answers it; called
 * before `approve` or `deny` when the tenants differ. Role `landfall_system`.
 * @returns whether it still waited there
 */
export const adopt = async (query: Query, from: TenantId, deviceId: DeviceCodeId, to: TenantId): Promise<boolean> =>
  (await query.run(sql`/* authority.device_codes.adopt */
    update authority.device_codes set tenant = ${to}
    where tenant = ${from} and id = ${deviceId} and state = 'pending' and expires_at > kernel.now()`)) === 1;

export interface Approval {
  readonly userId: UserId;
  /** Scopes that the person approved. */
  readonly scopes: readonly string[];
  readonly amr: readonly string[];
  readonly authTime: Date;
}

/** Approves a pending request; of two answers at once one returns true. */
export const approve = async (
  tx: Tx,
  tenant: TenantId,
  deviceId: DeviceCodeId,
  { userId, scopes, amr, authTime }: Approval,
): Promise<boolean> =>
  (await tx.run(sql`/* authority.device_codes.approve */
    update authority.device_codes
    set state = 'approved', user_id = ${userId}, scopes = ${scopes}, amr = ${amr}, auth_time = ${authTime}
    where tenant = ${tenant} and id = ${deviceId} and state = 'pending' and expires_at > kernel.now()`)) === 1;

export const deny = async (tx: Tx, tenant: TenantId, deviceId: DeviceCodeId): Promise<boolean> =>
  (await tx.run(sql`/* authority.device_codes.deny */
    update authority.device_codes set state = 'denied'
    where tenant = ${tenant} and id = ${deviceId} and state = 'pending' and expires_at > kernel.now()`)) === 1;

/** Records a client's poll, and adds 5 s to the interval when it came too early. Role `landfall_system`. */
export const poll = (query: Query, hash: Buffer, clientId: ClientId) =>
  query.find(
    polls,
    sql`/* authority.device_codes.poll */
    update authority.device_codes device set
      polled_at = kernel.now(),
      poll_seconds = device.poll_seconds + case when known.is_too_early then 5 else 0 end
    from (
      select tenant, id,
        coalesce(state = 'pending' and polled_at + make_interval(secs => poll_seconds) > kernel.now(), false)
          as is_too_early
      from authority.device_codes where hash = ${hash} and client_id = ${clientId}
      for update
    ) known
    where device.tenant = known.tenant and device.id = known.id
    returning device.tenant, device.id, device.client_id, device.state, device.user_id,
      device.expires_at <= kernel.now() as is_expired, device.consumed_at is not null as is_spent, known.is_too_early`,
  );

/** Consumes an approved code for a family in one statement: of several polls at once one succeeds. */
export const consume = (
  tx: Tx,
  tenant: TenantId,
  deviceId: DeviceCodeId,
  { clientId, familyId }: { readonly clientId: ClientId; readonly familyId: Id<'TokenFamily'> },
) =>
  tx.find(
    devices,
    sql`/* authority.device_codes.consume */
    update authority.device_codes set consumed_at = kernel.now(), family_id = ${familyId}
    where tenant = ${tenant} and id = ${deviceId} and client_id = ${clientId} and state = 'approved'
      and consumed_at is null and expires_at > kernel.now()
    returning ${devices.columns}`,
  );

/** Deletes codes once their reuse can no longer revoke a live token. Role `landfall_system`. */
export const prune = (query: Query, retentionMs: number): Promise<number> =>
  devices.removeWhere(query, 'prune', sql`expires_at < ${fromNow(-retentionMs)}`);
