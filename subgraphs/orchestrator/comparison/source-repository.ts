import type { Forge } from '../shared/enums.ts';

/** Repository of source code on a forge. */
export interface SourceRepository {
  /** Host, with the port unless it is the default one. */
  readonly host: string;
  /** Path of the repository: owner and name, or groups and name. */
  readonly path: string;
  /** Identity of the repository: `host/path`. */
  readonly key: string;
}

const SEGMENT = /^(?!\.{1,2}$)[\w.~-]{1,100}$/;
/** `git@host:path`, as git writes SSH addresses. */
const SCP = /^(?:[\w.-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!\/\/)(.+)$/;
const MAX_SEGMENTS = 20;

const repositoryAt = (host: string, path: string): SourceRepository | undefined => {
  const [own = ''] = path.replace(/^\/+/, '').split(/\/-\/|@|#|\?/, 1);
  const segments = own
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/');
  // Only GitLab has nested groups; elsewhere a third segment is a page of the repository.
  const repositoryPath = host === 'github.com' ? segments.slice(0, 2) : segments;
  if (
    repositoryPath.length < 2 ||
    repositoryPath.length > MAX_SEGMENTS ||
    !repositoryPath.every((segment) => SEGMENT.test(segment))
  )
    return undefined;
  return { host, path: repositoryPath.join('/'), key: `${host}/${repositoryPath.join('/')}` };
};

/**
 * Reads the address of source code as provenance and image labels write it: `https://host/owner/name(.git)`,
 * `git+https://…@refs/heads/main`, `ssh://git@host/…`, `git@host:owner/name.git`. Undefined for any other text.
 */
export const parseSource = (text: string): SourceRepository | undefined => {
  const address = text.trim().replace(/^git\+/, '');
  if (/^(?:https?|ssh|git):\/\//i.test(address)) {
    const url = URL.parse(address);
    if (!url?.hostname) return undefined;
    // The port of SSH is not that of the forge.
    const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
    return repositoryAt((isWeb ? url.host : url.hostname).toLowerCase(), url.pathname);
  }
  const [, host, path] = SCP.exec(address) ?? [];
  return host !== undefined && path !== undefined ? repositoryAt(host.toLowerCase(), path) : undefined;
};

const KNOWN: readonly (readonly [RegExp, Forge])[] = [
  [/^github\.com$/, 'github'],
  [/^(?:gitlab\.com|gitlab\..+)$/, 'gitlab'],
  [/^(?:codeberg\.org|gitea\.com|gitea\..+|forgejo\..+)$/, 'gitea'],
];

/** Kind of forge of a well-known host; undefined for other hosts. */
export const forgeOf = (host: string): Forge | undefined => KNOWN.find(([pattern]) => pattern.test(host))?.[1];

/** Commit, branch or tag that may stand in an address. */
const REVISION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Whether a revision identifies a commit permanently: a whole SHA-1 or SHA-256. */
export const isCommit = (revision: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision);

/** Whether a revision has a form that a forge can be asked for. */
export const isRevision = (revision: string): boolean => REVISION.test(revision) && !revision.includes('..');

/** Address of the page that shows the commits between two revisions. `webUrl` is that of the forge. */
export const compareUrl = (
  forge: Forge,
  webUrl: string,
  { path }: SourceRepository,
  from: string,
  to: string,
): string | undefined => {
  if (!isRevision(from) || !isRevision(to)) return undefined;
  const range = `compare/${from}...${to}`;
  return forge === 'gitlab' ? `${webUrl}/${path}/-/${range}` : `${webUrl}/${path}/${range}`;
};
