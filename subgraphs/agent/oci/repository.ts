import { failure } from '../protocol/failure.ts';

/** Location of a repository `host/path` (rulings 53). */
export type Location = Readonly<{ host: string; origin: string; path: string }>;

const shape = /^(?<host>(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?)\/(?<path>[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)$/;

/** Whether a host name names this machine itself. A DNS name that happens to resolve here does not count. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);

/** Plain HTTP only on loopback, TLS everywhere else. */
export const locate = (repository: string): Location => {
  const { host, path } = shape.exec(repository)?.groups ?? {};
  if (host === undefined || path === undefined)
    throw failure('DEPLOY_PULL_FAILED', 'unclassified', `not a repository (host/path): ${repository}`);
  const hostname = host.replace(/:\d+$/, '');
  return { host, origin: `${isLoopback(hostname) ? 'http' : 'https'}://${host}`, path };
};

/** Whether bytes may be asked for at `url`: TLS, or plain HTTP that stays on this machine. */
export const isAllowed = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
