import {
  basic,
  type Challenge,
  type Credentials,
  parseChallenge,
  tokenIn,
  tokenUrl,
} from '@landfall/kernel/oci/challenge';
import { type Dispatcher, request } from 'undici';
import { failure } from '../protocol/failure.ts';
import { isAllowed, type Location } from './repository.ts';

const unauthorized = (raw: string) => failure('DEPLOY_PULL_FAILED', 'registry-unauthorized', raw);

/** Answers a registry's Basic and Bearer challenges; authorizations are cached for a repository until refused. */
export const createRegistryAuthentication = (
  dispatcher: Dispatcher,
  credentials: (host: string) => Credentials | undefined,
) => {
  const granted = new Map<string, string>();
  const keyOf = ({ host, path }: Location): string => `${host}/${path}`;

  const fetchToken = async (location: Location, challenge: Challenge, signal: AbortSignal) => {
    const url = URL.parse(tokenUrl(challenge, `repository:${location.path}:pull`) ?? '');
    if (!url || !isAllowed(url))
      throw unauthorized(
        `${location.host} names a token service that is not TLS: ${challenge.parameters.get('realm') ?? ''}`,
      );
    const known = credentials(location.host);
    const answer = await request(url, { dispatcher, signal, headers: known ? { authorization: basic(known) } : {} });
    if (answer.statusCode >= 500) {
      await answer.body.dump();
      throw failure('DEPLOY_PULL_FAILED', 'registry-unreachable', `${answer.statusCode} ${url.origin}${url.pathname}`);
    }
    const body: unknown = answer.statusCode === 200 ? await answer.body.json() : await answer.body.dump();
    const token = tokenIn(body);
    if (token === undefined) throw unauthorized(`${answer.statusCode} ${url.origin}${url.pathname}`);
    return `Bearer ${token}`;
  };

  return {
    headers(location: Location): Record<string, string> {
      const authorization = granted.get(keyOf(location));
      return authorization === undefined ? {} : { authorization };
    },
    /** Answers a challenge; false if there is no answer to it, or the registry has already refused that answer. */
    async answer(location: Location, header: string | string[] | undefined, signal: AbortSignal): Promise<boolean> {
      const challenge = parseChallenge(typeof header === 'string' ? header : (header?.[0] ?? ''));
      const refused = granted.get(keyOf(location));
      granted.delete(keyOf(location));
      const known = credentials(location.host);
      if (challenge.scheme === 'bearer') granted.set(keyOf(location), await fetchToken(location, challenge, signal));
      else if (challenge.scheme === 'basic' && known) granted.set(keyOf(location), basic(known));
      return granted.has(keyOf(location)) && granted.get(keyOf(location)) !== refused;
    },
  };
};
