import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** Authentication challenge of a registry (RFC 9110 11.6.1, distribution's token authentication). */
export interface Challenge {
  /** Lower case: `bearer`, `basic`. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads a `WWW-Authenticate` header with one challenge, as registries write it. */
export const parseChallenge = (header: string): Challenge => {
  const [scheme = ''] = header.trim().split(/\s/, 1);
  const pairs = header.slice(scheme.length).matchAll(/(?<name>[\w-]+)=(?:"(?<quoted>[^"]*)"|(?<bare>[^\s,"]+))/g);
  const parameters = [...pairs].map(({ groups }): [string, string] => [
    (groups?.name ?? '').toLowerCase(),
    groups?.quoted ?? groups?.bare ?? '',
  ]);
  return { scheme: scheme.toLowerCase(), parameters: new Map(parameters) };
};

/** Address to request a token for `scope` from; undefined when the challenge names none. */
export const tokenUrl = ({ parameters }: Challenge, scope: string | undefined): string | undefined => {
  const url = URL.parse(parameters.get('realm') ?? '');
  if (!url) return undefined;
  const service = parameters.get('service');
  if (service !== undefined) url.searchParams.set('service', service);
  const requestedScopes = parameters.get('scope') ?? scope;
  if (requestedScopes !== undefined) url.searchParams.set('scope', requestedScopes);
  return url.href;
};

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Value of an `Authorization` header with the credentials themselves (RFC 7617). */
export const basic = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const tokenAnswer = Compile(
  Type.Object({ token: Type.Optional(Type.String()), access_token: Type.Optional(Type.String()) }),
);

/** Token in the answer of a token service; undefined where there is none. */
export const tokenIn = (answer: unknown): string | undefined =>
  tokenAnswer.Check(answer) ? (answer.token ?? answer.access_token) : undefined;
