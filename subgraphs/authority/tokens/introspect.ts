import { Fault } from '@landfall/kernel/core/fault';
import Type from 'typebox';
import type { Authenticate } from '../clients/authenticate.ts';
import type { Client } from '../clients/clients.ts';
import { formParser, parameter, readForm } from '../protocol/form.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import type { AccessToken, AccessTokens } from './access-tokens.ts';
import type { ReadTokenStatus } from './token-status.ts';

export const readToken = formParser(
  Type.Object({ token: parameter(20_000), token_type_hint: Type.Optional(parameter(100)) }),
);

const INACTIVE = { active: false } as const;

/** Whether a client may see a token: its own tenant's, or any for a client that serves every tenant. */
const mayKnow = (client: Client, { tenant }: AccessToken): boolean =>
  client.servesEveryTenant || client.tenant === tenant;

interface Parts {
  readonly authenticate: Authenticate;
  readonly accessTokens: AccessTokens;
  readonly readTokenStatus: ReadTokenStatus;
}

const tokenType = ({ cnf }: AccessToken): 'Bearer' | 'DPoP' => (cnf && 'jkt' in cnf ? 'DPoP' : 'Bearer');

/**
 * Creates the handler of POST /introspect, for access tokens only; its answer (RFC 7662 2.2) keeps the order of its
 * bytes.
 */
export const createIntrospect =
  ({ authenticate, accessTokens, readTokenStatus }: Parts, { issuer }: Pick<AuthoritySettings, 'issuer'>) =>
  async (request: ProtocolRequest) => {
    const form = readForm(request.body);
    const client = await authenticate({ ...request, form });
    if (!client.canIntrospect) throw new Fault('introspection_denied', 'This client has no permission to introspect.');
    const token = await accessTokens.verify(readToken(form).token);
    if (!token || !mayKnow(client, token)) return INACTIVE;
    const { isValid, username } = await readTokenStatus(token);
    if (!isValid) return INACTIVE;
    return {
      active: true as const,
      scope: token.scopes.join(' '),
      client_id: token.clientId,
      token_type: tokenType(token),
      exp: token.expiresAt.getTime() / 1000,
      iat: token.issuedAt.getTime() / 1000,
      sub: token.subject,
      aud: token.audience,
      iss: issuer,
      jti: token.jti,
      ...(username !== null && { username }),
      ...(token.cnf && { cnf: token.cnf }),
      'svc:tenant': token.tenant,
    };
  };
