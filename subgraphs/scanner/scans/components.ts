import { canonicalPurl, componentKey, formatPurl, type Purl, PurlError, parsePurl } from '../packages/purl.ts';
import type { Sbom, SbomComponent } from '../sbom/sbom.ts';
import { mapInSteps, type Steps } from '../shared/steps.ts';

/** Component of a bill of materials, with its package URL in canonical form. */
export interface ScanComponent {
  /** Position in the bill, from 0. */
  readonly n: number;
  readonly name: string;
  readonly version: string | null;
  /** Null where the bill has none that can be read, or one that is too long. */
  readonly purl: Purl | null;
  readonly canonicalPurl: string | null;
  readonly componentKey: string | null;
  /** Such as `sha256:` and hex digits. */
  readonly hashes: readonly string[];
  readonly isDirect: boolean | null;
  /** Positions from a direct dependency to this component on a shortest path; empty where there is none, or a longer one than is listed. */
  readonly path: readonly number[];
}

/** Characters of the longest key of a component: an entry of an index has an upper bound. */
const LONGEST_KEY = 2_000;

/** Components of the longest path that is listed; paths of real bills have a few dozen. */
const LONGEST_PATH = 256;

/** Package URL as written, in canonical form; completed by the version beside it where it has none. */
const completePurl = (written: string, version: string | null): Purl => {
  const purl = parsePurl(canonicalPurl(written));
  if (purl.version !== null || version === null) return purl;
  try {
    return parsePurl(formatPurl({ ...purl, version }));
  } catch (error) {
    // A version that its type does not allow leaves the package URL without one.
    if (error instanceof PurlError) return purl;
    throw error;
  }
};

const readPurl = ({
  purl: written,
  version,
}: SbomComponent): Pick<ScanComponent, 'purl' | 'canonicalPurl' | 'componentKey'> => {
  try {
    if (written !== null) {
      const purl = completePurl(written, version);
      const key = componentKey(purl);
      if (key.length <= LONGEST_KEY) return { purl, canonicalPurl: formatPurl(purl), componentKey: key };
    }
  } catch (error) {
    if (!(error instanceof PurlError)) throw error;
  }
  return { purl: null, canonicalPurl: null, componentKey: null };
};

/** Position before each component on a shortest path; undefined for direct and unreached ones. Breadth first, in order. */
const predecessors = ({ components, dependencies }: Sbom): ReadonlyMap<number, number> => {
  const positions = new Map(components.map(({ ref }, at) => [ref, at]));
  const reached = new Set(components.flatMap(({ isDirect }, at) => (isDirect ? [at] : [])));
  const previous = new Map<number, number>();
  // A set is iterated in the order of insertion, also over what is added meanwhile.
  for (const at of reached)
    for (const ref of dependencies.get(components[at]?.ref ?? '') ?? []) {
      const next = positions.get(ref);
      if (next === undefined || reached.has(next)) continue;
      reached.add(next);
      previous.set(next, at);
    }
  return previous;
};

const pathTo = (n: number, isDirect: boolean | null, previous: ReadonlyMap<number, number>): number[] => {
  const path: number[] = [];
  for (let at: number | undefined = n; at !== undefined; at = previous.get(at)) {
    if (path.length === LONGEST_PATH) return [];
    path.push(at);
  }
  return isDirect || path.length > 1 ? path.reverse() : [];
};

/** Components of a bill of materials in its order. */
export function* componentsOf(sbom: Sbom): Steps<ScanComponent[]> {
  const previous = predecessors(sbom);
  return yield* mapInSteps(sbom.components, (component, n) => ({
    n,
    name: component.group === null ? component.name : `${component.group}/${component.name}`,
    version: component.version,
    ...readPurl(component),
    hashes: component.hashes,
    isDirect: component.isDirect,
    // Few components have findings: paths of all would grow with the square of a long row of dependencies.
    get path() {
      return pathTo(n, component.isDirect, previous);
    },
  }));
}
