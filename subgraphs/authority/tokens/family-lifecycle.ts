import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { Client } from '../clients/clients.store.ts';
import { isPublicClient } from '../clients/credentials.ts';
import { type Binding, jktOf } from '../clients/sender-constraint.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import { auditActor, type ProtocolRequest } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../settings.ts';
import type { User } from '../users/users.store.ts';
import * as families from './families.store.ts';
import type { Issuer, TokenIssue } from './issuer.ts';

/** A sign-in that a client may have tokens of, whichever grant brought it. */
export interface SignInGrant {
  readonly tenant: TenantId;
  readonly client: Client;
  readonly user: User;
  readonly familyId: families.FamilyId;
  readonly scopes: readonly string[];
  /** What was granted, for refreshes, and what this request asks for of it. */
  readonly held: readonly string[];
  readonly resources: readonly string[];
  readonly amr: readonly string[];
  readonly authTime: Date;
  readonly nonce: string | null;
  readonly binding: Binding | undefined;
}

/** Opens the family of a sign-in and records its first tokens. */
export type OpenFamily = (tx: Tx, grant: SignInGrant) => Promise<TokenIssue>;

/** Whether this exchange may be followed by refreshes. */
const mayRefresh = (client: Client, scopes: readonly string[]): boolean =>
  client.grants.includes('refresh_token') && scopes.includes('offline_access');

export const createOpenFamily =
  (issuer: Issuer, { refreshIdleMs, accessTokenMs }: AuthoritySettings): OpenFamily =>
  async (tx, { tenant, client, user, familyId, held, binding, ...grant }) => {
    const { scopes, amr, authTime } = grant;
    const family = { id: familyId, clientId: client.id, authTime, amr };
    const refresh = mayRefresh(client, scopes) ? newOpaqueSecret() : undefined;
    await families.insert(tx, tenant, {
      ...family,
      userId: user.id,
      scopes,
      sender: binding?.kind ?? null,
      refreshJkt: isPublicClient(client) ? jktOf(binding) : null,
      resources: held,
      aliveMs: refresh ? refreshIdleMs : accessTokenMs,
    });
    if (refresh) await families.insertRefreshToken(tx, tenant, family.id, refresh.hash, refreshIdleMs);
    return issuer.record(tx, { tenant, user, client, family, binding, ...grant, refreshToken: refresh?.value });
  };

/** What was spent and came again. */
export interface ReusedGrant {
  readonly type: 'code.reuse' | 'deviceCode.reuse' | 'refreshToken.reuse';
  readonly tenant: TenantId;
  readonly client: Client;
  readonly familyId: families.FamilyId;
  readonly userId: string | null;
}

/**
 * What comes a second time is in two hands; which of them is the thief cannot be told, so all that came of the first
 * use ends (RFC 6749 4.1.2, RFC 9700 4.14.2), and an audit row says so.
 */
export const revokeReused = async (
  tx: Tx,
  { type, tenant, client, familyId, userId }: ReusedGrant,
  request: ProtocolRequest,
): Promise<void> => {
  if (!(await families.revoke(tx, tenant, familyId))) return;
  await event(tx, auditActor(tenant, client.id, 'client', request), type, {
    entity: 'TokenFamily',
    id: familyId,
    version: 1,
    data: { clientId: client.id, userId },
  });
};
