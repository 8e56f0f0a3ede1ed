import type { Chunk } from '../corpus/chunk.ts';

/** Importable formats, as `--format` names them. */
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

export interface Rejection {
  /** Path as given; entries of an archive follow `!/`. */
  readonly file: string;
  /** From 1; undefined for files without lines, such as archives. */
  readonly line: number | undefined;
  readonly reason: string;
}

/** Removes control characters and changes of writing direction, and truncates. */
const printable = (text: string, most: number): string => {
  const clean = text
    .slice(0, most)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .toWellFormed();
  return text.length > most ? `${clean}…` : clean;
};

export const printableName = (name: string): string => printable(name, 1_000);

export const rejection = (file: string, line: number | undefined, reason: string): Rejection => ({
  file: printableName(file),
  line,
  reason: printable(reason, 300),
});

/** A file or record that search does not store, such as a licence among advisories. */
export interface SkippedFile {
  readonly file: string;
  readonly reason: string;
}

export type ImportPiece =
  | { readonly kind: 'document'; readonly chunks: readonly Chunk[] }
  | { readonly kind: 'refused'; readonly refusal: Rejection }
  | ({ readonly kind: 'skipped' } & SkippedFile);

/** Reasons to skip files and records; few, so that they can be counted. */
export const SKIP_REASONS = {
  format: 'no known format',
  ending: 'an ending that is not read',
  test: 'a test of policies',
  empty: 'empty',
  link: 'a link, or no file',
} as const;

/** Origin of a record, for keys and names of its documents. */
export interface Origin {
  /** Last path segments with `/`, independent of the root of the import. */
  readonly path: string;
  /** Full package path in a repository of VEX documents, since the last folders are alike across registries. */
  readonly packagePath: string;
  /** Hash that identifies the file; unset for a text without one. */
  readonly file: string | undefined;
  /** Source name of the documents; the format's by default. */
  readonly source: string | undefined;
}

export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly line: number | undefined;
  readonly element: { readonly list: string; readonly index: number } | undefined;

  constructor(message: string, line?: number, element?: Unreadable['element']) {
    super(message);
    this.line = line;
    this.element = element;
  }
}

export type ReadResult = Chunk | Unreadable;

/**
 * Reader of one parsed record, which returns its documents. Pure.
 * @throws Unreadable where none of it can be read
 */
export type Reader = (record: Readonly<Record<string, unknown>>, origin: Origin) => readonly ReadResult[];

/** Reads an entry of a record; a broken one becomes an Unreadable with its index in `list`, such as `statements`. */
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
