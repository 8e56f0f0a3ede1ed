import { parseJson } from '../../lib/json.ts';

/** Values of a policy by their paths, such as `weights.cvss`; a list is one value. */
type Values = ReadonlyMap<string, string>;

/** Value of a policy in two versions of it; undefined where a version lacks it. */
export type PolicyChange = {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
};

/** Parts that name a version and are no value of it. */
const NAMES: ReadonlySet<string> = new Set(['id', 'version']);

function collect(value: unknown, path: string, into: Map<string, string>): Map<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) into.set(path, JSON.stringify(value) ?? '');
  else for (const [name, inner] of Object.entries(value)) collect(inner, path === '' ? name : `${path}.${name}`, into);
  return into;
}

const valuesOf = (document: string): Values => collect(parseJson(document), '', new Map());

export const isWeight = (path: string): boolean => path.startsWith('weights.');

export const isChanged = ({ before, after }: PolicyChange): boolean => before !== after;

/** Weights of a policy beside those before it, and all other values that differ. */
export function comparePolicies(before: string, after: string): readonly PolicyChange[] {
  const [earlier, later] = [valuesOf(before), valuesOf(after)];
  const paths = [...new Set([...later.keys(), ...earlier.keys()])].filter((path) => !NAMES.has(path));
  return paths
    .map((path) => ({ path, before: earlier.get(path), after: later.get(path) }))
    .filter((change) => isWeight(change.path) || isChanged(change));
}

/** Sum of the weights in parts per million; undefined for a text that has none. */
export function weightSum(document: string): number | undefined {
  const weights = [...valuesOf(document)].filter(([path]) => isWeight(path)).map(([, value]) => Number(value));
  return weights.length === 0 ? undefined : weights.reduce((sum, weight) => sum + weight, 0);
}

/** JSON with a line for each value; two numbers of a list, which are a step of a table, share one. */
const pretty = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/\[\s+(\d+),\s+(\d+)\s+\]/g, '[$1, $2]');

/** JSON text as people read it; a text that is no JSON stays as it is. */
export function readable(document: string): string {
  const value = parseJson(document);
  return value === undefined ? document : pretty(value);
}

/** Policy to begin a new version with: the text of an earlier one under the next number. */
export function nextVersion(document: string): string {
  const value = parseJson(document);
  if (typeof value !== 'object' || value === null || !('version' in value)) return document;
  const number = Number(value.version);
  return pretty({ ...value, version: Number.isInteger(number) ? String(number + 1) : '' });
}
