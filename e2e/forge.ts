// Forge that answers as Gitea's interface does (`repoCompareDiff` of its published schema): no real one is asked.
import { once } from 'node:events';
import { createServer } from 'node:http';

export interface Forge extends AsyncDisposable {
  readonly origin: string;
}

/** Hash of the commit number `index`. */
export const commitId = (index: number): string => index.toString(16).padStart(40, 'c');

/** Starts a forge whose repository `path` has a commit for each message, oldest first. */
export const startForge = async (path: string, messages: readonly string[]): Promise<Forge> => {
  let origin = '';
  const commitOf = (message: string, index: number) => ({
    sha: commitId(index),
    html_url: `${origin}/${path}/commit/${commitId(index)}`,
    commit: {
      message,
      author: { name: 'Ana Duarte', date: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString() },
    },
  });
  const between = (url: string) => {
    const [, from, to] = new RegExp(`/repos/${path}/compare/(\\w+)\\.\\.\\.(\\w+)$`).exec(url) ?? [];
    const commits = messages.map(commitOf);
    const [start, end] = [from, to].map((id) => commits.findIndex(({ sha }) => sha === id));
    return start === undefined || end === undefined ? [] : commits.slice(start + 1, end + 1);
  };
  const server = createServer((request, response) => {
    const commits = between(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ total_commits: commits.length, commits }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return {
    origin,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
