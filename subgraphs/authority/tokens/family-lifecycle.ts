import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { fromNow } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Client } from '../clients/clients.ts';
import { isPublicClient } from '../clients/credentials.ts';
import { type Binding, jktOf } from '../clients/sender-constraint.ts';
import { newOpaqueSecret } from '../protocol/opaque-secrets.ts';
import { auditActor, type ProtocolRequest } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import { revokeFamily } from '../revocation/revocation.ts';
import type { User } from '../users/users.ts';
import * as families from './families.store.ts';
import type { Issuer, TokenIssue } from './issuer.ts';

export const familyEvent = eventsOf('TokenFamily');

/** Sign-in to issue tokens for, whatever the grant. */
interface SignInGrant {
  readonly tenant: TenantId;
  readonly client: Client;
  readonly user: User;
  readonly familyId: families.FamilyId;
  readonly scopes: readonly string[];
  /** Granted resources, for refreshes, and those of this request. */
  readonly granted: readonly string[];
  readonly resources: readonly string[];
  readonly amr: readonly string[];
  readonly authTime: Date;
  readonly nonce: string | null;
  readonly binding: Binding | undefined;
}

/** Creates the family of a sign-in and records its first tokens. */
export type OpenFamily = (tx: Tx, grant: SignInGrant) => Promise<TokenIssue>;

const mayRefresh = (client: Client, scopes: readonly string[]): boolean =>
  client.grants.includes('refresh_token') && scopes.includes('offline_access');

export const createOpenFamily =
  (issuer: Issuer, { refreshIdleMs, accessTokenMs }: AuthoritySettings): OpenFamily =>
  async (tx, { tenant, client, user, familyId, granted, binding, ...grant }) => {
    const { scopes, amr, authTime } = grant;
    const family = { id: familyId, clientId: client.id, authTime, amr };
    const refresh = mayRefresh(client, scopes) ? newOpaqueSecret() : undefined;
    await families.insert(tx, tenant, {
      ...family,
      userId: user.id,
      scopes,
      sender: binding?.kind ?? null,
      refreshJkt: isPublicClient(client) ? jktOf(binding) : null,
      resources: granted,
      expiresAt: fromNow(refresh ? refreshIdleMs : accessTokenMs),
    });
    if (refresh) {
      const token = { hash: refresh.hash, familyId, expiresAt: fromNow(refreshIdleMs) };
      await families.insertRefreshToken(tx, tenant, token);
    }
    return issuer.record(tx, { tenant, user, client, family, binding, ...grant, refreshToken: refresh?.value });
  };

/** Code or refresh token that was used twice. */
interface ReusedGrant {
  readonly type: 'code.reuse' | 'deviceCode.reuse' | 'refreshToken.reuse';
  readonly tenant: TenantId;
  readonly client: Client;
  readonly familyId: families.FamilyId;
  readonly userId: string | null;
}

/** Revokes the family of a code or token used twice (RFC 6749 4.1.2, RFC 9700 4.14.2) and writes an event. */
export const revokeReused = async (
  tx: Tx,
  { type, tenant, client, familyId, userId }: ReusedGrant,
  request: ProtocolRequest,
): Promise<void> => {
  if (!(await revokeFamily(tx, tenant, familyId))) return;
  const data = { clientId: client.id, userId };
  await familyEvent(tx, auditActor(tenant, client.id, 'client', request), type, { id: familyId }, data);
};
