import type { Chunk } from '../corpus/chunk.ts';

/** What can be imported, as `--format` names it. */
export const FORMATS = [
  'osv',
  'openvex',
  'csaf',
  'kev',
  'cyclonedx',
  'spdx',
  'kyverno',
  'gatekeeper',
  'rego',
  'rustsec',
  'nodejs',
] as const;

export type Format = (typeof FORMATS)[number];

export const isFormat = (word: string): word is Format => FORMATS.some((format) => format === word);

/** A record that was not imported. */
export interface Rejection {
  /** As it was given; what is in an archive follows `!/`. */
  readonly file: string;
  /** From 1; of what has no lines, such as an archive, undefined. */
  readonly line: number | undefined;
  readonly reason: string;
}

/** Nothing that a terminal takes for an order, and no turn of the writing direction; not more than anybody reads. */
const printable = (text: string, most: number): string => {
  const shown = text
    .slice(0, most)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .toWellFormed();
  return text.length > most ? `${shown}…` : shown;
};

/** A name of a file as it can be shown. */
export const printableName = (name: string): string => printable(name, 1_000);

/** A refusal in words that can be shown, whatever the file says. */
export const rejection = (file: string, line: number | undefined, reason: string): Rejection => ({
  file: printableName(file),
  line,
  reason: printable(reason, 300),
});

/** A file or record that is nothing that search keeps: a manifest among policies, a licence among advisories. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

/** What a record became. */
export type ImportPiece =
  | { readonly kind: 'document'; readonly chunks: readonly Chunk[] }
  | { readonly kind: 'refused'; readonly refusal: Rejection }
  | ({ readonly kind: 'skipped' } & SkippedFile);

/** Reasons for which files and records are left aside; few, so that they can be counted. */
export const SKIP_REASONS = {
  format: 'no known format',
  ending: 'an ending that is not read',
  test: 'a test of policies',
  empty: 'empty',
  link: 'a link, or no file',
} as const;

/** Where a record is from, for the keys and names of its documents. */
export interface Origin {
  /** Where the file lies, in its last steps, with `/`: the same from whichever folder above it an import begins. */
  readonly path: string;
  /** The same with all steps of a repository of VEX documents, whose last ones are alike below several registries. */
  readonly packagePath: string;
  /** Which file it is, as a hash; unset for a text that comes without one. */
  readonly file: string | undefined;
  /** Under which name the documents are kept; unset, the format's. */
  readonly source: string | undefined;
}

/** A record that cannot become a document; the message says why. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  /** Where in the file, from 1, if that is known. */
  readonly line: number | undefined;
  /** Which element of which list of the record it is about. */
  readonly element: { readonly list: string; readonly index: number } | undefined;

  constructor(message: string, line?: number, element?: Unreadable['element']) {
    super(message);
    this.line = line;
    this.element = element;
  }
}

/** What became of one entry of a record: a chunk, or why it is none. */
export type ReadResult = Chunk | Unreadable;

/** Turns one parsed record into its documents. Pure. @throws Unreadable where nothing of it can be read */
export type Reader = (record: Readonly<Record<string, unknown>>, origin: Origin) => readonly ReadResult[];

/**
 * Reads an entry of a record, so that a broken one costs itself alone.
 * @param list where it is in the record, with its index: `statements`
 */
export const readOne = (read: () => Chunk, list: string, index: number): ReadResult => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return new Unreadable(`${list}[${index}]: ${error.message}`, undefined, { list, index });
  }
};

export const readEach = <T>(entries: readonly T[], list: string, read: (entry: T) => Chunk): readonly ReadResult[] =>
  entries.map((entry, index) => readOne(() => read(entry), list, index));
