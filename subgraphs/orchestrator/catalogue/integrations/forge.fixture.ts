import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Forge } from '../../shared/enums.ts';

/** Commit of a repository's only branch, oldest first. */
interface ForgeCommit {
  readonly id: string;
  readonly message: string;
}

/** Fault of the next answers; undefined: none. */
type ForgeFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly body?: object;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'bloat'; readonly bytes: number };

interface ForgeRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** Hash of the commit number `index` of a repository. */
export const commitId = (index: number): string => index.toString(16).padStart(40, 'c');

const AT = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();

/** Answer of GitHub: REST API 2022-11-28, "Compare two commits"; members that the product does not read are left out. */
const gitHubAnswer = (origin: string, path: string, commits: readonly ForgeCommit[], isReversed: boolean) => ({
  status: isReversed ? 'behind' : commits.length === 0 ? 'identical' : 'ahead',
  ahead_by: commits.length,
  total_commits: commits.length,
  commits: commits.slice(0, 250).map(({ id, message }, index) => ({
    sha: id,
    html_url: `${origin}/${path}/commit/${id}`,
    commit: {
      message,
      author: { name: 'Ana Duarte', email: 'ana@shop.example', date: AT(index) },
      committer: { name: 'GitHub', email: 'noreply@github.com', date: AT(index) },
    },
    author: { login: 'ana', id: 1 },
    parents: [],
  })),
  files: [{ filename: 'README.md', status: 'modified', patch: '@@ -1 +1 @@' }],
});

/** Answer of Gitea 1.22: `Compare` of `repoCompareDiff`. */
const giteaAnswer = (origin: string, path: string, commits: readonly ForgeCommit[]) => ({
  total_commits: commits.length,
  commits: commits.map(({ id, message }, index) => ({
    url: `${origin}/api/v1/repos/${path}/git/commits/${id}`,
    sha: id,
    created: AT(index),
    html_url: `${origin}/${path}/commit/${id}`,
    commit: { message, author: { name: 'Ana Duarte', email: 'ana@shop.example', date: AT(index) } },
    author: null,
    parents: [],
  })),
});

/** Answer of GitLab: REST API v4, "Compare branches, tags, or commits". */
const gitLabAnswer = (origin: string, path: string, commits: readonly ForgeCommit[]) => ({
  commit: null,
  commits: commits.map(({ id, message }, index) => ({
    id,
    short_id: id.slice(0, 8),
    title: message.split('\n', 1)[0],
    message,
    author_name: 'Ana Duarte',
    author_email: 'ana@shop.example',
    authored_date: AT(index),
    created_at: AT(index),
    web_url: `${origin}/${path}/-/commit/${id}`,
  })),
  diffs: [],
  compare_timeout: false,
  compare_same_ref: commits.length === 0,
});

const tokenIn = (provider: Forge, { headers }: IncomingMessage): string | undefined => {
  if (provider === 'gitlab') return headers['private-token']?.toString();
  const [scheme, token] = (headers.authorization ?? '').split(' ');
  return scheme === (provider === 'github' ? 'Bearer' : 'token') ? token : undefined;
};

const BASES: Readonly<Record<Forge, string>> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1' };
const PINGS: Readonly<Record<Forge, string>> = { github: '/rate_limit', gitlab: '/projects', gitea: '/repos/search' };

/** Repository and revisions of a comparison's path. */
const comparisonOf = (provider: Forge, { pathname, searchParams }: URL) => {
  if (provider === 'gitlab') {
    const [, project = ''] = /^\/api\/v4\/projects\/([^/]+)\/repository\/compare$/.exec(pathname) ?? [];
    return {
      path: decodeURIComponent(project),
      from: searchParams.get('from') ?? '',
      to: searchParams.get('to') ?? '',
    };
  }
  const [, path = '', from = '', to = ''] =
    /\/repos\/([^/]+\/[^/]+)\/compare\/([^/]+?)\.\.\.([^/]+)$/.exec(pathname) ?? [];
  return { path, from, to };
};

/**
 * Starts a forge that is written from the published schemas of the three products' interfaces; no real forge is
 * contacted. It has repositories of one branch, and serves them to clients with the token.
 */
export const startForge = async (provider: Forge, { token }: { readonly token?: string } = {}) => {
  const repositories = new Map<string, readonly ForgeCommit[]>();
  const requests: ForgeRequest[] = [];
  let fault: ForgeFault | undefined;
  let origin = '';

  const send = (
    response: ServerResponse,
    status: number,
    value: object,
    headers: Record<string, string> = {},
  ): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  };

  const compare = (response: ServerResponse, url: URL): void => {
    const { path, from, to } = comparisonOf(provider, url);
    const commits = repositories.get(path);
    const [start, end] = [from, to].map((id) => commits?.findIndex((commit) => commit.id === id) ?? -1);
    if (!commits || start === undefined || end === undefined || start < 0 || end < 0) {
      send(response, 404, { message: provider === 'gitlab' ? '404 Project Not Found' : 'Not Found' });
      return;
    }
    const between = commits.slice(start + 1, end + 1);
    if (provider === 'gitlab') send(response, 200, gitLabAnswer(origin, path, between));
    else if (provider === 'gitea') send(response, 200, giteaAnswer(origin, path, between));
    else send(response, 200, gitHubAnswer(origin, path, between, end < start));
  };

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', origin);
    requests.push({ path: url.pathname + url.search, headers: request.headers });
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'status') send(response, fault.status, fault.body ?? {}, fault.headers);
    else if (fault?.kind === 'text') response.end(fault.text);
    else if (fault?.kind === 'bloat') response.end(Buffer.alloc(fault.bytes, ' '));
    else if (token !== undefined && tokenIn(provider, request) !== token)
      send(response, 401, { message: provider === 'gitlab' ? '401 Unauthorized' : 'Bad credentials' });
    else if (url.pathname === `${BASES[provider]}${PINGS[provider]}`) send(response, 200, {});
    else compare(response, url);
  };

  const server = createServer(serve);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    origin,
    host: origin.slice('http://'.length),
    requests,
    /** Sets the commits of a repository, oldest first. */
    push: (path: string, messages: readonly string[]): void => {
      repositories.set(
        path,
        messages.map((message, index) => ({ id: commitId(index), message })),
      );
    },
    /** Gives every answer a fault until the returned handle is disposed of. */
    fault(input: ForgeFault): Disposable {
      fault = input;
      return {
        [Symbol.dispose]: () => {
          fault = undefined;
        },
      };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};

export type ForgeServer = Awaited<ReturnType<typeof startForge>>;
