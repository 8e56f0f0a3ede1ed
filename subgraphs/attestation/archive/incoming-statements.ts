import type { IncomingStatement } from './archive.ts';

// A registry accepts 16 MiB from every client that may push, repeatedly; an archive has a size limit, so statements
// that count come first.
const MAX_TOTAL_BYTES = 33_554_432;
const MAX_UNSIGNED_BYTES = 65_536;

/** Size of a statement in bytes, and whether a trusted signer signed it. */
interface SizedStatement {
  readonly size: number;
  readonly isSigned: boolean;
}

/** Statement of an image as its registry stores it. */
interface RawStatement {
  readonly component: string;
  readonly format: 'bundle' | 'signature' | 'envelope';
  readonly content: Buffer;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Selects the image statements that fit into an archive: signed ones first, of the others only small ones. */
export const chooseIncoming = <Statement extends SizedStatement>(
  found: readonly Statement[],
): { readonly taken: readonly Statement[]; readonly left: readonly Statement[] } => {
  const selected: Statement[] = [];
  const remaining: Statement[] = [];
  let total = 0;
  for (const each of found.toSorted((one, other) => Number(other.isSigned) - Number(one.isSigned))) {
    const fits = total + each.size <= MAX_TOTAL_BYTES && (each.isSigned || each.size <= MAX_UNSIGNED_BYTES);
    (fits ? selected : remaining).push(each);
    if (fits) total += each.size;
  }
  return { taken: selected, left: remaining };
};

/** Replaces characters that are not allowed in a directory's name. */
const plain = (name: string): string => name.replaceAll(/[^a-z0-9._-]/g, '_');

/** Directories of an archive with the statements of images. */
export const incomingOf = (found: readonly RawStatement[]): IncomingStatement[] =>
  found.map(({ component, format, content, annotations }, index) => ({
    directory: `incoming-${plain(component)}-${String(index + 1).padStart(2, '0')}`,
    files: [
      { path: `${format === 'signature' ? 'signed-payload' : format}.json`, bytes: content },
      { path: 'annotations.json', bytes: Buffer.from(JSON.stringify(annotations, undefined, 2)) },
    ],
  }));
