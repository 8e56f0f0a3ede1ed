import { isRevoked } from '@landfall/kernel/denylist';
import { Fault } from '@landfall/kernel/fault';
import { isId } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Authenticate } from '../clients/authenticate.ts';
import type { Client } from '../clients/clients.store.ts';
import type { AuthoritySettings } from '../settings.ts';
import * as users from '../users/users.store.ts';
import type { AccessToken, AccessTokens } from './access-tokens.ts';
import { formParser, parameter, readForm } from './form.ts';
import type { ProtocolRequest } from './protocol.ts';

/** The answer of POST /introspect (RFC 7662 2.2), in the order of its bytes. */
export type Introspection =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly scope: string;
      readonly client_id: string;
      readonly token_type: 'Bearer';
      readonly exp: number;
      readonly iat: number;
      readonly sub: string;
      readonly aud: string;
      readonly iss: string;
      readonly jti: string;
      readonly username?: string;
      readonly 'svc:tenant': string;
    };

const parse = formParser(Type.Object({ token: parameter(20_000), token_type_hint: Type.Optional(parameter(100)) }));

const INACTIVE: Introspection = { active: false };

/** A client learns of its own tenant's tokens only; the platform's clients learn of all. */
const mayKnow = (client: Client, { tenant }: AccessToken): boolean =>
  client.servesEveryTenant || client.tenant === tenant;

/** POST /introspect, of access tokens: a refresh token is nothing that a resource server should accept. */
export const createIntrospect = (
  {
    database,
    authenticate,
    accessTokens,
  }: Pick<Deps, 'database'> & { readonly authenticate: Authenticate; readonly accessTokens: AccessTokens },
  { issuer, audience }: AuthoritySettings,
) => {
  const usernameOf = async ({ tenant, subject }: AccessToken): Promise<string | undefined> => {
    if (!isId(subject, 'User')) return undefined;
    return (await database.read(tenant, (query) => users.find(query, tenant, subject)))?.username;
  };

  return async (request: ProtocolRequest): Promise<Introspection> => {
    const form = readForm(request.body);
    const client = await authenticate({ authorization: request.authorization, form });
    if (!client.canIntrospect) throw new Fault('introspection_denied', 'This client has no permission to introspect.');
    const token = await accessTokens.verify(parse(form).token);
    if (!token || !mayKnow(client, token)) return INACTIVE;
    if (await database.system.read((query) => isRevoked(query, token.jti))) return INACTIVE;
    const username = await usernameOf(token);
    return {
      active: true,
      scope: token.scopes.join(' '),
      client_id: token.clientId,
      token_type: 'Bearer',
      exp: token.expiresAt.getTime() / 1000,
      iat: token.issuedAt.getTime() / 1000,
      sub: token.subject,
      aud: audience,
      iss: issuer,
      jti: token.jti,
      ...(username !== undefined && { username }),
      'svc:tenant': token.tenant,
    };
  };
};
