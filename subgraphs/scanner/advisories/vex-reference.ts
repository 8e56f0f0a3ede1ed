import { type Purl, PurlError, parsePurl } from '../packages/purl.ts';
import { normalizeAdvisoryIds } from './advisory-id.ts';
import { type Report, UnreadableDocument, unique } from './document-fields.ts';
import type { VexProduct, VexReference } from './vex-statement.ts';

const HEX = /^[0-9a-f]{32,128}$/;

/** Hash as algorithm and hex digits; `SHA-256` and `sha256` are one. Null for a value that is no hash. */
export const hashOf = (algorithm: string | null, value: string | null): string | null => {
  const [name, digits] = [algorithm?.toLowerCase().replace(/^sha-(?=\d)/, 'sha'), value?.toLowerCase()];
  return name !== undefined && digits !== undefined && HEX.test(digits) ? `${name}:${digits}` : null;
};

const purlOf = (text: string): Purl | null => {
  try {
    return parsePurl(text);
  } catch (error) {
    if (error instanceof PurlError) return null;
    throw error;
  }
};

/** Types of package URLs of images, whose version may be a digest (purl types, oci and docker). */
const IMAGE_TYPES = ['oci', 'docker'];

const imageDigestOf = (purl: Purl | null): string | null => {
  if (purl?.version == null || !IMAGE_TYPES.includes(purl.type)) return null;
  const [algorithm = null, value = null] = purl.version.split(':');
  return hashOf(algorithm, value);
};

interface WrittenReference {
  /** Names in order of preference: the first package URL among them counts. */
  readonly names: readonly (string | null)[];
  readonly hashes?: readonly (string | null)[];
}

export const referenceOf = ({ names, hashes = [] }: WrittenReference): VexReference => {
  const written = unique(names);
  const purl =
    written
      .filter((name) => name.startsWith('pkg:'))
      .map(purlOf)
      .find((one) => one !== null) ?? null;
  return { name: written[0] ?? null, purl, hashes: unique([...hashes, imageDigestOf(purl)]) };
};

const isMatchable = ({ purl, hashes }: VexReference): boolean => purl !== null || hashes.length > 0;

/** Reports the names of an entry that match nothing. */
export const reportUnmatchable = (products: readonly VexProduct[], path: string, report: Report): void => {
  if (products.length === 0) report(path, 'the entry names no product');
  const unmatchable = products
    .flatMap((product) => [product, ...product.subcomponents])
    .filter((one) => !isMatchable(one));
  const [first] = unmatchable;
  if (first === undefined) return;
  const example = first.name === null ? '' : `, such as “${first.name.slice(0, 100)}”`;
  report(path, `${unmatchable.length} products or components have neither a package URL nor a hash${example}`);
};

/** Products and components that the statements of a document name, at most; lists that they share count for each. */
const MOST_REFERENCES = 500_000;

/** Returns the function that adds to the number of references of a document. It throws UnreadableDocument past the most. */
export const countReferences = (): ((references: number) => void) => {
  let counted = 0;
  return (references) => {
    counted += references;
    if (counted > MOST_REFERENCES)
      throw new UnreadableDocument(`its statements name more than ${MOST_REFERENCES} products and components`);
  };
};

/** Names of an entry's vulnerability. Throws UnreadableDocument where there is none. */
export const vulnerabilityIdsOf = (names: readonly (string | null)[]): readonly string[] => {
  // Some name it by the address of its page.
  const ids = normalizeAdvisoryIds(names.map((name) => name?.replace(/^https?:\/\/\S+\/(?=[^/]+$)/, '') ?? null));
  if (ids.length === 0) throw new UnreadableDocument('the vulnerability has no name');
  return ids;
};

/** Reads entries one by one: one that cannot be read is reported and skipped. */
export const readEntries = <T>(
  entries: readonly unknown[],
  { path, report }: { readonly path: string; readonly report: Report },
  read: (entry: unknown, index: number, path: string) => readonly T[],
): readonly T[] =>
  entries.flatMap((entry, index) => {
    try {
      return read(entry, index, `${path}[${index}]`);
    } catch (error) {
      if (!(error instanceof UnreadableDocument)) throw error;
      report(`${path}[${index}]`, error.message);
      return [];
    }
  });
