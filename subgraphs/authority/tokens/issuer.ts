import { Fault } from '@landfall/kernel/core/fault';
import type { Ids, TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { ResourceIndicators } from '../authorization/resource-indicators.ts';
import type { AuthenticatedClient } from '../clients/authenticate.ts';
import type { Client } from '../clients/clients.ts';
import type { Binding } from '../clients/sender-constraint.ts';
import { scopesOfRoles } from '../protocol/scopes.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import * as tenants from '../tenants/tenants.ts';
import { effectiveRoles, type User } from '../users/users.ts';
import type { AccessTokens, Grant } from './access-tokens.ts';
import * as families from './families.store.ts';
import { findPerson, type IdTokenIssuer, type Person } from './id-tokens.ts';

/** The answer of POST /token (RFC 6749 5.1), in the order of its bytes. */
export interface TokenAnswer {
  readonly access_token: string;
  /** `DPoP` for a token bound to a DPoP key (RFC 9449 5). */
  readonly token_type: 'Bearer' | 'DPoP';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  /** Type of the token; for an exchange only (RFC 8693 2.2.1). */
  readonly issued_token_type?: string;
}

/** Tokens for a person: recorded in a transaction, signed after it. */
export interface TokenIssue {
  readonly person: Person;
  readonly grant: Grant;
  readonly authTime: Date;
  readonly amr: readonly string[];
  readonly nonce: string | null;
  readonly refreshToken: string | undefined;
}

interface TokenIssueOptions extends Pick<TokenIssue, 'nonce' | 'refreshToken'> {
  readonly tenant: TenantId;
  readonly user: User;
  readonly client: Pick<Client, 'scopes' | 'plan'>;
  readonly family: Pick<families.Family, 'id' | 'clientId' | 'authTime' | 'amr'>;
  /** Narrowed to what both the client and the person's roles allow now. */
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly binding: Binding | undefined;
}

/** Token that a client requests for itself. */
type OwnIssue = Pick<TokenIssueOptions, 'scopes' | 'resources' | 'binding'>;

/** Plan and licence of a token (spec 5.3): the client's plan while its tenant has it, else the tenant's first. */
export const entitlementsOf = (client: Pick<Client, 'plan'>, { plans, license }: tenants.Tenant) => ({
  plan: client.plan !== null && plans.includes(client.plan) ? client.plan : plans[0],
  license: license ?? undefined,
});

export const createIssuer = (
  parts: { ids: Ids; accessTokens: AccessTokens; idTokens: IdTokenIssuer; resourceIndicators: ResourceIndicators },
  { accessTokenMs }: Pick<AuthoritySettings, 'accessTokenMs'>,
) => {
  const { ids, accessTokens, idTokens, resourceIndicators } = parts;
  const lifeSeconds = Math.floor(accessTokenMs / 1000);

  /** Answer with one access token. */
  const answerGrant = async (grant: Grant): Promise<TokenAnswer> => ({
    access_token: await accessTokens.sign(grant),
    token_type: grant.cnf && 'jkt' in grant.cnf ? 'DPoP' : 'Bearer',
    expires_in: lifeSeconds,
    scope: grant.scopes.join(' '),
  });

  return {
    answerGrant,

    /** Records an access token, so that revoking its family denies it; throws invalid_grant for a stopped tenant. */
    async record(tx: Tx, { tenant, user, client, family, ...options }: TokenIssueOptions): Promise<TokenIssue> {
      const { scopes, resources, binding, nonce, refreshToken } = options;
      const terms = await tenants.find(tx, tenant);
      if (!terms?.active) throw new Fault('invalid_grant', 'The tenant is stopped.');
      const grant: Grant = {
        jti: ids.uuid(),
        subject: user.id,
        clientId: family.clientId,
        tenant,
        scopes: scopesOfRoles(
          effectiveRoles(user),
          scopes.filter((scope) => client.scopes.includes(scope)),
        ),
        audience: resourceIndicators.audienceOf(resources),
        ...entitlementsOf(client, terms),
        cnf: binding?.cnf,
        act: undefined,
        expiresAt: accessTokens.expiry(),
      };
      const { jti, expiresAt } = grant;
      await families.insertAccessToken(tx, tenant, { jti, familyId: family.id, expiresAt });
      const person = await findPerson(tx, tenant, { user, scopes: grant.scopes });
      return { person, grant, authTime: family.authTime, amr: family.amr, nonce, refreshToken };
    },

    async answer({ person, grant, authTime, amr, nonce, refreshToken }: TokenIssue): Promise<TokenAnswer> {
      const { clientId, scopes } = grant;
      return {
        ...(await answerGrant(grant)),
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
        ...(scopes.includes('openid') && {
          id_token: await idTokens.sign({ person, clientId, scopes, authTime, amr, nonce }),
        }),
      };
    },

    /** Issues a token for the client itself (RFC 6749 4.4): no family, no refresh token. */
    answerClient: (client: AuthenticatedClient, { scopes, resources, binding }: OwnIssue): Promise<TokenAnswer> =>
      answerGrant({
        jti: ids.uuid(),
        subject: client.id,
        clientId: client.id,
        tenant: client.tenant,
        scopes,
        audience: resourceIndicators.audienceOf(resources),
        ...entitlementsOf(client, client.home),
        cnf: binding?.cnf,
        act: undefined,
        expiresAt: accessTokens.expiry(),
      }),
  };
};

export type Issuer = ReturnType<typeof createIssuer>;
