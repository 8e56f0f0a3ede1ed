import { failure } from '../protocol/failure.ts';

/** Location of a repository `host/path` (rulings 53). */
export type Location = Readonly<{ host: string; origin: string; path: string }>;

const shape = /^(?<host>(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?)\/(?<path>[a-z0-9]+(?:[._/-]+[a-z0-9]+)*)$/;

/** Checks whether a host name denotes this machine. A DNS name that resolves to loopback does not count. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);

/** Locates a repository: plain HTTP on loopback, TLS everywhere else. */
export const locateRepository = (repository: string): Location => {
  const { host, path } = shape.exec(repository)?.groups ?? {};
  if (host === undefined || path === undefined)
    throw failure('DEPLOY_PULL_FAILED', 'unclassified', `not a repository (host/path): ${repository}`);
  const hostname = host.replace(/:\d+$/, '');
  return { host, origin: `${isLoopback(hostname) ? 'http' : 'https'}://${host}`, path };
};

/** Checks whether a URL may be fetched: TLS, or plain HTTP on loopback. */
export const isAllowed = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
