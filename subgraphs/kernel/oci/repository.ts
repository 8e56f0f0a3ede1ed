import { isLoopback } from '../system/address.ts';

/** Location of a repository: the host that finds its integration, and its path there (rulings 53). */
interface Repository {
  /** With the port where there is one. */
  readonly host: string;
  readonly path: string;
}

/** `host/path`, the path in the grammar of distribution-spec 1.1. For input schemas and for reading. */
export const REPOSITORY_PATTERN =
  '^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\\[[0-9A-Fa-f:]+\\])(?::[0-9]{1,5})?/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*)*$';

/** Refusal of a text that is no repository. */
export const REPOSITORY_REFUSAL =
  'must be the host of a registry, a slash and a path in lower case, such as registry.example/team/app';

/** Pattern of a tag in the grammar of distribution-spec 1.1. */
export const TAG_PATTERN = '^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$';

/** Refusal of a text that is no tag. */
export const TAG_REFUSAL =
  'may have only letters, digits, underscores, dots and hyphens, and begins with a letter, digit or underscore';

export const parseRepository = (repository: string): Repository => {
  const slash = repository.indexOf('/');
  return { host: repository.slice(0, slash).toLowerCase(), path: repository.slice(slash + 1) };
};

/** Origin of a registry without an integration: TLS, or plain HTTP on this machine. */
export const originOf = (host: string): string => {
  const name = host.replace(/:\d+$/, '');
  return `${isLoopback(name) ? 'http' : 'https'}://${host}`;
};
