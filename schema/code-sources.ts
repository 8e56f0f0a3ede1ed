/** The parts of the source that hold an error code as a text: what can answer or record it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codes, type FaultCode } from './codes.ts';

/** Parts by code. A part is the name of a folder below subgraphs/, `gateway` or `rest-compat`. */
export type CodeSources = ReadonlyMap<FaultCode, ReadonlySet<string>>;

const isCode = (text: string): text is FaultCode => Object.hasOwn(codes, text);

const isProduct = (path: string): boolean =>
  !/(^|\/)(node_modules|testing|bench|demo|proofs)\//.test(path) && !/(\.test|\.fixture|\/generated)\.ts$/.test(path);

const partOf = (path: string): string => {
  const [workspace = '', module = ''] = path.split('/');
  return workspace === 'subgraphs' ? module : workspace;
};

/** Declarations (`raises: […]` and lists named `…RAISES`), and comments: neither raises anything. */
const DECLARATION = /(?:\braises: |RAISES\b[^=\n]*= )\[[^\]]*\]/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm;
/** Quoted text; one after a comparison is not raised there. */
const LITERAL = /(?<compared>(?:[!=]==|\bcase)\s*)?'(?<text>[\w.]+)'/g;

/** The codes that `source` can raise: every quoted code but declared and compared ones. */
export const codesIn = (source: string): FaultCode[] =>
  [...source.replace(COMMENT, '').replace(DECLARATION, '').matchAll(LITERAL)].flatMap(({ groups }) =>
    groups?.compared === undefined && groups?.text !== undefined && isCode(groups.text) ? [groups.text] : [],
  );

/** Reads the product's source below `root`. */
export const codeSources = (root: string): CodeSources => {
  const found = new Map<FaultCode, Set<string>>();
  for (const path of globSync('{subgraphs,rest-compat,gateway}/**/*.ts', { cwd: root }).toSorted()) {
    if (!isProduct(path)) continue;
    for (const code of codesIn(readFileSync(join(root, path), 'utf8')))
      found.set(code, (found.get(code) ?? new Set()).add(partOf(path)));
  }
  return found;
};
