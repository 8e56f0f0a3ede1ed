/**
 * Selects the container image's files according to `Dockerfile` and `.dockerignore`, for tests without a container
 * engine.
 */
import { copyFile, mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Directories with too many files to list; a separate test plants a file in each. */
const SKIPPED = new Set(['node_modules', '.git']);

/** Lists every file below `root`, relative to it. */
const listFiles = async (root: string, below = ''): Promise<readonly string[]> => {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  const lists = entries.map((entry): Promise<readonly string[]> | readonly string[] => {
    const path = join(below, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listFiles(root, path);
    return [path];
  });
  return (await Promise.all(lists)).flat();
};

/** Converts a pattern of `.dockerignore` to an expression: `*` within a name, `**` across directories. */
const expressionOf = (pattern: string): RegExp => {
  const source = pattern
    .replace(/^\/+|\/+$/g, '')
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      return part === '?' ? '[^/]' : RegExp.escape(part);
    })
    .join('');
  return new RegExp(`^${source}$`);
};

/**
 * Creates the check whether a build context excludes a path: the last pattern that matches it, or a parent directory,
 * decides.
 */
export const ignoreRule = (dockerignore: string): ((path: string) => boolean) => {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ isExcluded: !line.startsWith('!'), expression: expressionOf(line.replace(/^!/, '')) }));
  return (path) => {
    const names = path.split('/');
    const lines = names.map((_, index) => names.slice(0, index + 1).join('/'));
    return rules.findLast(({ expression }) => lines.some((line) => expression.test(line)))?.isExcluded ?? false;
  };
};

/** Parses the instructions of a Dockerfile, with continued lines joined. */
export const instructionsOf = (dockerfile: string): readonly (readonly [name: string, rest: string])[] =>
  dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .flatMap((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
      return name === '' ? [] : [[name, rest] as const];
    });

/**
 * Lists the paths that a build copies.
 * @throws Error for a Dockerfile that copies other than the whole context
 */
export const imageFiles = async (root: string): Promise<readonly string[]> => {
  const copied = instructionsOf(await readFile(join(root, 'Dockerfile'), 'utf8')).filter(
    ([name, rest]) => (name === 'COPY' || name === 'ADD') && !rest.startsWith('--from='),
  );
  if (copied.length !== 1 || copied[0]?.[1] !== '. .') throw new Error('The Dockerfile copies otherwise than `. .`.');
  const isIgnored = ignoreRule(await readFile(join(root, '.dockerignore'), 'utf8'));
  return (await listFiles(root)).filter((path) => !isIgnored(path));
};

/** Copies the image's files into a directory. Links among the packages lead to the copies. */
export const copyImage = async (root: string, directory: string): Promise<void> => {
  for (const path of await imageFiles(root)) {
    await mkdir(join(directory, dirname(path)), { recursive: true });
    await copyFile(join(root, path), join(directory, path));
  }
};

/** Links this checkout's packages into a copied image, like `npm ci`; the product's own packages are the image's. */
export const linkPackages = async (root: string, directory: string): Promise<void> => {
  const [from, to] = [join(root, 'node_modules'), join(directory, 'node_modules')];
  await mkdir(join(to, '@landfall'), { recursive: true });
  for (const name of await readdir(from)) if (name !== '@landfall') await symlink(join(from, name), join(to, name));
  for (const name of await readdir(join(from, '@landfall')))
    await symlink(await readlink(join(from, '@landfall', name)), join(to, '@landfall', name));
  const nested = 'subgraphs/kernel/node_modules';
  await symlink(join(root, nested), join(directory, nested));
};
