// Source files for the checks of the text: each is read once.
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';

/** A breach of a rule, as `npm run lint` prints it. */
export interface Breach {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Source file: its path from the root and its text. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** An import, a type import or a re-export of a file. */
export interface Import {
  /** The importing file, from the repository's root. */
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
}

const WORKSPACES = ['schema', 'subgraphs', 'rest-compat', 'gateway', 'console', 'e2e', 'scripts'];
const IMPORT = /^(?:import|export)\s+(?:[\w*\s{},$]+?\s+from\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gm;
const TOP_LEVEL = new Set(WORKSPACES);

/** Line of a position in a text; the first is 1. */
export const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Every import of a file, dynamic ones too. The formatter makes each statement begin its line. */
export const importsOf = ({ file, text }: Source): Import[] =>
  [...text.matchAll(IMPORT)].map((match) => ({
    file,
    line: lineOf(text, match.index),
    specifier: match[1] ?? match[2] ?? '',
  }));

/** Path, from the root, of one of our own specifiers; undefined for a package of others. */
export const targetOf = ({ file, specifier }: Pick<Import, 'file' | 'specifier'>): string | undefined => {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier));
  const [, name = '', rest = 'index'] = /^@landfall\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (!name) return undefined;
  return `${TOP_LEVEL.has(name) ? name : `subgraphs/${name}`}/${rest}`;
};

/** Workspace of a file: `gateway`, `subgraphs/search`. */
export const workspaceOf = (file: string): string => {
  const [top = '', name = ''] = file.split('/');
  return top === 'subgraphs' ? `${top}/${name}` : top;
};

/** Reads every TypeScript file below `root`. */
export const readSources = async (root: string): Promise<Source[]> => {
  const isSkipped = (path: string): boolean => /(^|\/)(node_modules|dist(-[^/.]+)?)$/.test(path);
  const files = await Array.fromAsync(glob(`{${WORKSPACES}}/**/*.{ts,tsx}`, { cwd: root, exclude: isSkipped }));
  return Promise.all(files.toSorted().map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })));
};
