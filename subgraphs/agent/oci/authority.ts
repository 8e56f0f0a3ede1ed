import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Dispatcher, request } from 'undici';
import { failure } from '../failure.ts';
import { isAllowed, type Location } from './repository.ts';

export type Credentials = Readonly<{ username: string; password: string }>;

const tokenAnswer = Compile(
  Type.Object({ token: Type.Optional(Type.String()), access_token: Type.Optional(Type.String()) }),
);

/** The scheme and parameters of a WWW-Authenticate header (RFC 9110 11.6.1), as registries write it. */
export const parseChallenge = (
  header: string,
): Readonly<{ scheme: string; parameters: ReadonlyMap<string, string> }> => {
  const [scheme = ''] = header.split(' ', 1);
  const pairs = header.slice(scheme.length).matchAll(/(?<name>[\w-]+)="(?<value>[^"]*)"/g);
  const parameters = new Map([...pairs].map(({ groups }) => [(groups?.name ?? '').toLowerCase(), groups?.value ?? '']));
  return { scheme: scheme.toLowerCase(), parameters };
};

const basic = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const unauthorized = (raw: string) => failure('DEPLOY_PULL_FAILED', 'registry-unauthorized', raw);

/**
 * Answers a registry's challenges: Basic with the credentials themselves, Bearer by fetching a token from the realm
 * (distribution's token authentication). What was obtained is kept for a repository until the registry refuses it.
 */
export const createAuthority = (dispatcher: Dispatcher, credentials: (host: string) => Credentials | undefined) => {
  const granted = new Map<string, string>();
  const keyOf = ({ host, path }: Location): string => `${host}/${path}`;

  const fetchToken = async (at: Location, parameters: ReadonlyMap<string, string>, signal: AbortSignal) => {
    const realm = parameters.get('realm') ?? '';
    if (!URL.canParse(realm) || !isAllowed(new URL(realm)))
      throw unauthorized(`${at.host} names a token service that is not TLS: ${realm}`);
    const url = new URL(realm);
    const service = parameters.get('service');
    if (service !== undefined) url.searchParams.set('service', service);
    url.searchParams.set('scope', parameters.get('scope') ?? `repository:${at.path}:pull`);
    const known = credentials(at.host);
    const answer = await request(url, { dispatcher, signal, headers: known ? { authorization: basic(known) } : {} });
    if (answer.statusCode >= 500) {
      await answer.body.dump();
      throw failure('DEPLOY_PULL_FAILED', 'registry-unreachable', `${answer.statusCode} ${url.origin}${url.pathname}`);
    }
    const body: unknown = answer.statusCode === 200 ? await answer.body.json() : await answer.body.dump();
    const token = tokenAnswer.Check(body) ? (body.token ?? body.access_token) : undefined;
    if (token === undefined) throw unauthorized(`${answer.statusCode} ${url.origin}${url.pathname}`);
    return `Bearer ${token}`;
  };

  return {
    headers(at: Location): Record<string, string> {
      const authorization = granted.get(keyOf(at));
      return authorization === undefined ? {} : { authorization };
    },
    /** Whether the challenge could be met with something that the registry has not refused already. */
    async answer(at: Location, header: string | string[] | undefined, signal: AbortSignal): Promise<boolean> {
      const { scheme, parameters } = parseChallenge(typeof header === 'string' ? header : (header?.[0] ?? ''));
      const refused = granted.get(keyOf(at));
      granted.delete(keyOf(at));
      const known = credentials(at.host);
      if (scheme === 'bearer') granted.set(keyOf(at), await fetchToken(at, parameters, signal));
      else if (scheme === 'basic' && known) granted.set(keyOf(at), basic(known));
      return granted.has(keyOf(at)) && granted.get(keyOf(at)) !== refused;
    },
  };
};
