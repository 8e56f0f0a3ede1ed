// Dependencies that no file of their workspace imports.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Breach, type Source, workspaceOf } from './sources.ts';

/** Type packages, which the compiler finds without an import. */
const TYPES = /^@types\//;

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const manifestAt = async (folder: string): Promise<Manifest> => {
  try {
    return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  } catch {
    return {};
  }
};

const isNamed = (text: string, name: string): boolean => text.includes(`'${name}'`) || text.includes(`'${name}/`);

/** Finds the dependencies of a workspace's package.json that no file in it imports and no other dependency requires. */
export const checkDependencies = async (root: string, sources: readonly Source[]): Promise<Breach[]> => {
  const workspaces = [...new Set(sources.map(({ file }) => workspaceOf(file)))].filter((name) => name !== 'scripts');
  const breaches = await Promise.all(
    workspaces.map(async (workspace) => {
      const file = join(workspace, 'package.json');
      const { dependencies, devDependencies } = await manifestAt(join(root, workspace));
      const names = Object.keys({ ...dependencies, ...devDependencies });
      const installed = await Promise.all(names.map((name) => manifestAt(join(root, 'node_modules', name))));
      const peers = new Set(installed.flatMap(({ peerDependencies }) => Object.keys(peerDependencies ?? {})));
      const texts = sources.filter((source) => workspaceOf(source.file) === workspace).map(({ text }) => text);
      return names
        .filter((name) => !TYPES.test(name) && !peers.has(name) && !texts.some((text) => isNamed(text, name)))
        .map((name) => ({ file, line: 1, message: `nothing imports ${name}` }));
    }),
  );
  return breaches.flat();
};
