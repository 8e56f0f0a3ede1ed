import { Fault } from '@landfall/kernel/core/fault';
import { isId } from '@landfall/kernel/core/ids';
import { thumbprintOf } from '@landfall/kernel/http/client-certificates';
import type { Dpop } from '@landfall/kernel/identity/dpop';
import type { Deps } from '@landfall/kernel/module';
import { isProved } from '../clients/sender-constraint.ts';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import type { AuthoritySettings } from '../protocol/settings.ts';
import * as users from '../users/users.ts';
import type { AccessToken, AccessTokens } from './access-tokens.ts';
import { findPerson, personalClaims } from './id-tokens.ts';
import type { ReadTokenStatus } from './token-status.ts';

/** A request of the holder of an access token. */
interface UserInfoRequest extends ProtocolRequest {
  readonly method: 'GET' | 'POST';
}

interface Parts extends Pick<Deps, 'database'> {
  readonly accessTokens: AccessTokens;
  readonly readTokenStatus: ReadTokenStatus;
  readonly dpop: Pick<Dpop, 'prove'>;
}

const refused = (message: string): Fault => new Fault('invalid_token', message);

/** The token of the one Authorization header, under RFC 6750's scheme or RFC 9449's. */
const presentedBy = ({ authorization }: ProtocolRequest) => {
  const [, scheme = '', raw] =
    typeof authorization === 'string' ? (/^(bearer|dpop) +([^ ]+)$/i.exec(authorization) ?? []) : [];
  if (raw === undefined)
    throw new Fault('invalid_token', 'The Authorization header must carry one access token.', {
      missing: true,
    });
  return { raw, isDpop: scheme.toLowerCase() === 'dpop' };
};

type Presented = ReturnType<typeof presentedBy>;

/**
 * Creates the handler of GET and POST /userinfo: claims about the person of an access token (OpenID Connect Core
 * 5.3.2).
 */
export const createUserInfo = (
  { database, accessTokens, readTokenStatus, dpop }: Parts,
  { issuer, audience }: Pick<AuthoritySettings, 'issuer' | 'audience'>,
) => {
  const prove = async (token: AccessToken, { raw, isDpop }: Presented, request: UserInfoRequest): Promise<void> => {
    const { dpop: proof, method, path, certificate } = request;
    const bound = token.cnf && 'jkt' in token.cnf ? token.cnf.jkt : undefined;
    if (isDpop && bound === undefined) throw refused('The token is bound to no key: its scheme is Bearer.');
    const isRequested = proof !== undefined && bound !== undefined;
    const jkt = isRequested
      ? await dpop.prove({ proof, method, url: issuer + path, accessToken: raw, jkt: bound })
      : undefined;
    if (!isProved(token.cnf, { jkt, thumbprint: certificate && thumbprintOf(certificate) }))
      throw refused('The token is bound to a key that this request does not prove.');
  };

  return async (request: UserInfoRequest) => {
    const presented = presentedBy(request);
    const token = await accessTokens.verify(presented.raw);
    if (!token || ![token.audience].flat().includes(audience))
      throw refused('The access token is for another audience.');
    await prove(token, presented, request);
    const { isValid } = await readTokenStatus(token);
    const { tenant, subject, scopes } = token;
    if (!isValid || !isId(subject, 'User')) throw refused('The access token is revoked, or speaks of no person.');
    if (!scopes.includes('openid')) throw new Fault('insufficient_scope', 'The access token lacks the scope openid.');
    const person = await database.read(tenant, async (query) => {
      const user = await users.find(query, tenant, subject);
      return user && findPerson(query, tenant, { user, scopes });
    });
    if (!person) throw refused('The access token speaks of no person.');
    return { sub: person.id, ...personalClaims(person, scopes) };
  };
};
