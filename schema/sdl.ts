import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'graphql';
import names from './subgraphs.json' with { type: 'json' };

/** Root of the repository. The scripts take another one as `--root`. */
export const repository = join(import.meta.dirname, '..');

export type Subgraph = {
  readonly name: string;
  /** schema/common.graphql and the module's own schema.graphql, in this order. */
  readonly sdl: string;
};

const common = readFileSync(join(import.meta.dirname, 'common.graphql'), 'utf8');

/** The modules of subgraphs.json that have a schema.graphql under `root`, in composition order. */
export function subgraphs(root: string): Subgraph[] {
  const file = (name: string) => join(root, 'subgraphs', name, 'schema.graphql');
  for (const path of globSync('subgraphs/*/schema.graphql', { cwd: root })) {
    const name = path.split(/[\\/]/)[1];
    if (!names.some((known) => known === name)) throw new Error(`${path}: not a module of schema/subgraphs.json`);
  }
  return names
    .filter((name) => existsSync(file(name)))
    .map((name) => ({ name, sdl: `${common}\n${readFileSync(file(name), 'utf8')}` }));
}

export const parseSdl = ({ sdl }: Subgraph) => parse(sdl, { noLocation: true });
