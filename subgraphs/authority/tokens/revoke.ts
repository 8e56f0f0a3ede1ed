import { Fault } from '@landfall/kernel/core/fault';
import { revoke as deny } from '@landfall/kernel/identity/denylist';
import type { Deps } from '@landfall/kernel/module';
import type { Authenticate } from '../clients/authenticate.ts';
import type { Client } from '../clients/clients.ts';
import { readForm } from '../protocol/form.ts';
import { hashSecret } from '../protocol/opaque-secrets.ts';
import { auditActor, type ProtocolRequest } from '../protocol/protocol-request.ts';
import { LEEWAY_MS } from '../revocation/leeway.ts';
import { denyTokensExchangedFrom, revokeFamily } from '../revocation/revocation.ts';
import { type AccessToken, type AccessTokens, accessTokenEvent } from './access-tokens.ts';
import * as families from './families.store.ts';
import { familyEvent } from './family-lifecycle.ts';
import { readToken } from './introspect.ts';

const other = (): Fault => new Fault('unauthorized_client', 'The token was issued to another client.');

/**
 * Creates the handler of POST /revoke (RFC 7009): revokes an access token with the tokens exchanged from it, or a
 * refresh token with its family.
 */
export const createRevoke = ({
  database,
  authenticate,
  accessTokens,
}: Pick<Deps, 'database'> & { readonly authenticate: Authenticate; readonly accessTokens: AccessTokens }) => {
  const revokeAccess = async (client: Client, token: AccessToken, request: ProtocolRequest): Promise<void> => {
    if (token.clientId !== client.id) throw other();
    await database.write(token.tenant, async (tx) => {
      await deny(tx, token.jti, new Date(token.expiresAt.getTime() + LEEWAY_MS));
      await denyTokensExchangedFrom(tx, token.tenant, token.jti);
      const caller = auditActor(token.tenant, client.id, 'client', request);
      await accessTokenEvent(tx, caller, 'accessToken.revoke', { id: token.jti }, { subject: token.subject });
    });
  };

  const revokeByRefreshToken = async (client: Client, family: families.Family, request: ProtocolRequest) => {
    const { tenant, id, userId } = family;
    if (family.clientId !== client.id) throw other();
    await database.write(tenant, async (tx) => {
      if (!(await revokeFamily(tx, tenant, id))) return;
      await familyEvent(tx, auditActor(tenant, client.id, 'client', request), 'tokenFamily.revoke', { id }, { userId });
    });
  };

  return async (request: ProtocolRequest): Promise<void> => {
    const form = readForm(request.body);
    const client = await authenticate({ ...request, form });
    const { token } = readToken(form);
    const access = await accessTokens.verify(token, LEEWAY_MS);
    if (access) return revokeAccess(client, access, request);
    const family = await database.system.read((query) => families.findByRefreshToken(query, hashSecret(token)));
    if (family) await revokeByRefreshToken(client, family, request);
  };
};
