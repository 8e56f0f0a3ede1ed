import type { Tx } from '@landfall/kernel/db/query';
import type { Ids, TenantId } from '@landfall/kernel/ids';
import type { Client } from '../clients/clients.store.ts';
import { heldByRoles } from '../scopes.ts';
import type { AuthoritySettings } from '../settings.ts';
import { effectiveRoles, type User } from '../users/users.store.ts';
import type { AccessTokens, Grant } from './access-tokens.ts';
import * as families from './families.store.ts';
import type { IdTokens } from './id-tokens.ts';

/** The answer of POST /token (RFC 6749 5.1), in the order of its bytes. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

/** One issue of tokens to a person: decided and recorded in a transaction, signed after it. */
export interface Issue {
  readonly user: User;
  readonly grant: Grant;
  readonly authTime: Date;
  readonly nonce: string | null;
  readonly refreshToken: string | undefined;
}

export interface IssueOptions {
  readonly tenant: TenantId;
  readonly user: User;
  readonly client: Pick<Client, 'scopes'>;
  readonly family: Pick<families.Family, 'id' | 'clientId' | 'authTime'>;
  /** Narrowed here to what both the client and the person's roles hold at this moment. */
  readonly scopes: readonly string[];
  readonly nonce: string | null;
  readonly refreshToken: string | undefined;
}

export interface Issuer {
  /** Records an access token of a family, so that it can be denied with it. */
  record(tx: Tx, options: IssueOptions): Promise<Issue>;
  answer(issue: Issue): Promise<TokenAnswer>;
  /** A token of the client's own (RFC 6749 4.4): no family, no refresh token. */
  answerClient(client: Client, scopes: readonly string[]): Promise<TokenAnswer>;
}

export const createIssuer = (
  { ids, accessTokens, idTokens }: { ids: Ids; accessTokens: AccessTokens; idTokens: IdTokens },
  { accessTokenMs }: AuthoritySettings,
): Issuer => {
  const answerOf = async (grant: Grant): Promise<TokenAnswer> => ({
    access_token: await accessTokens.sign(grant),
    token_type: 'Bearer',
    expires_in: Math.floor(accessTokenMs / 1000),
    scope: grant.scopes.join(' '),
  });

  return {
    async record(tx, { tenant, user, client, family, scopes, nonce, refreshToken }) {
      const grant: Grant = {
        jti: ids.uuid(),
        subject: user.id,
        clientId: family.clientId,
        tenant,
        scopes: heldByRoles(
          effectiveRoles(user),
          scopes.filter((scope) => client.scopes.includes(scope)),
        ),
        expiresAt: accessTokens.expiry(),
      };
      await families.insertAccessToken(tx, tenant, family.id, grant.jti, grant.expiresAt);
      return { user, grant, authTime: family.authTime, nonce, refreshToken };
    },

    async answer({ user, grant, authTime, nonce, refreshToken }) {
      const { clientId, scopes } = grant;
      return {
        ...(await answerOf(grant)),
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
        ...(scopes.includes('openid') && {
          id_token: await idTokens.sign({ user, clientId, scopes, authTime, nonce }),
        }),
      };
    },

    answerClient: (client, scopes) =>
      answerOf({
        jti: ids.uuid(),
        subject: client.id,
        clientId: client.id,
        tenant: client.tenant,
        scopes,
        expiresAt: accessTokens.expiry(),
      }),
  };
};
