import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Documents of this installation: README, guides, decisions, and each module's README. */
const FILES = ['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/decisions/*.md', 'subgraphs/*/README.md'] as const;

/** Lists the documents of this installation by path. */
export const listFiles = async (root: string): Promise<readonly string[]> => {
  const paths = await Array.fromAsync(glob([...FILES], { cwd: root }));
  return paths.map((path) => path.replaceAll('\\', '/')).toSorted();
};

export const readDocument = (root: string, path: string): Promise<string> => readFile(join(root, path), 'utf8');

/** Path at which a document is served unchanged. */
export const addressOf = (path: string): string => `/docs/text/${path}`;
