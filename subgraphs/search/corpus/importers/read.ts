import { LineCounter, parseAllDocuments } from 'yaml';
import { readCsv } from './csv.ts';
import { formatOf, READERS, type Syntax, syntaxOf } from './detect.ts';
import { elementLine } from './json-place.ts';
import { readJson } from './json-records.ts';
import { readKevRow } from './kev.ts';
import { LIMITS } from './limits.ts';
import { type Entry, type Format, type Origin, type Piece, type Reader, Unreadable } from './piece.ts';
import { readRego } from './rego.ts';
import { readSpdxTags } from './spdx.ts';
import { isFields } from './values.ts';

/** A file as it comes, already unpacked. */
export interface InputFile {
  /** How refusals name it. */
  readonly name: string;
  /** Below what was given to import, with `/`. */
  readonly path: string;
  /** It was named itself: what is in it and cannot be read is refused, where a folder's would be left aside. */
  readonly isGiven: boolean;
  bytes(): AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  readonly format?: Format | undefined;
  readonly source?: string | undefined;
}

/** As much of a file decides what it is. */
const HEAD = 16_384;

interface Reading extends ReadOptions {
  readonly file: InputFile;
  readonly origin: Origin;
}

const refused = ({ file }: Reading, { message, line }: Unreadable, from?: number): Piece => ({
  kind: 'refused',
  refusal: { file: file.name, line: line ?? from, reason: message },
});

const pieceOf = (reading: Reading, entry: Entry, line?: number): Piece =>
  entry instanceof Unreadable ? refused(reading, entry, line) : { kind: 'document', chunks: [entry] };

const piecesOf = (reading: Reading, read: () => readonly Entry[], line?: number): readonly Piece[] => {
  try {
    return read().map((entry) => pieceOf(reading, entry, line));
  } catch (error) {
    if (error instanceof Unreadable) return [refused(reading, error, line)];
    throw error;
  }
};

const unknown = (reading: Reading, line?: number): readonly Piece[] =>
  reading.file.isGiven
    ? [refused(reading, new Unreadable('nothing of it says which format it is; say it with a format', line))]
    : [{ kind: 'skipped', file: reading.file.name }];

/** Where an element of a record's list is, if the record is JSON. */
const placed = (entry: Entry, written: string | undefined, from: number | undefined): Entry => {
  if (!(entry instanceof Unreadable) || entry.line !== undefined || !entry.element || written === undefined)
    return entry;
  const line = elementLine(written, entry.element.list, entry.element.index);
  return line === undefined ? entry : new Unreadable(entry.message, line + (from ?? 1) - 1);
};

const readRecord = (reading: Reading, value: unknown, line: number | undefined, written?: string): readonly Piece[] => {
  if (!isFields(value)) return unknown(reading, line);
  const format = reading.format ?? formatOf(value);
  if (format === undefined || format === 'rego') return unknown(reading, line);
  const entries = () => READERS[format](value, reading.origin).map((entry) => placed(entry, written, line));
  return piecesOf(reading, entries, line);
};

async function* readJsonFile(reading: Reading, texts: AsyncIterable<string>, head: string): AsyncGenerator<Piece> {
  for await (const piece of readJson(texts, head))
    if (piece instanceof Unreadable) yield refused(reading, piece);
    else yield* readRecord(reading, piece.value, piece.line, piece.written);
}

const readYaml = (reading: Reading, written: string): Piece[] => {
  const counter = new LineCounter();
  const documents = parseAllDocuments(written, { lineCounter: counter, logLevel: 'silent' });
  return [...documents].flatMap((document): readonly Piece[] => {
    const [problem] = document.errors;
    const line = counter.linePos(document.contents?.range?.[0] ?? document.range[0]).line;
    if (problem)
      return [
        refused(reading, new Unreadable(problem.message.split('\n')[0] ?? '', problem.linePos?.[0].line ?? line)),
      ];
    try {
      // A document of aliases of aliases is larger than its text.
      const value: unknown = document.toJS({ maxAliasCount: 100 });
      return value === null || value === undefined ? [] : readRecord(reading, value, line);
    } catch (error) {
      return [refused(reading, new Unreadable(error instanceof Error ? error.message : String(error), line))];
    }
  });
};

const readRows = (reading: Reading, written: string, read: Reader): Piece[] =>
  readCsv(written).flatMap((row) =>
    row instanceof Unreadable
      ? [refused(reading, row)]
      : piecesOf(reading, () => read(row.values, reading.origin), row.line),
  );

/** Rules that test rules are nothing that anybody looks for. */
const isRegoTest = (path: string): boolean => path.endsWith('_test.rego');

const readWhole = (reading: Reading, syntax: Syntax, written: string): readonly Piece[] => {
  if (syntax === 'csv') return readRows(reading, written, readKevRow);
  if (syntax === 'tags') return piecesOf(reading, () => readSpdxTags(written, reading.origin));
  if (syntax === 'yaml') return readYaml(reading, written);
  if (isRegoTest(reading.file.path)) return [{ kind: 'skipped', file: reading.file.name }];
  return piecesOf(reading, () => readRego(written, reading.origin));
};

const gather = async (texts: AsyncIterable<string>, most: number): Promise<string | undefined> => {
  let written = '';
  for await (const text of texts) {
    written += text;
    if (written.length > most) return undefined;
  }
  return written;
};

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const part of bytes) yield decoder.decode(part, { stream: true });
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}

/** The beginning of a text, and all of it. */
const withHead = async (
  texts: AsyncGenerator<string>,
): Promise<{ readonly head: string; readonly all: AsyncGenerator<string> }> => {
  let head = '';
  let isBlank = true;
  for (let isDone = false; !isDone && (isBlank ? head.length < LIMITS.record : head.length < HEAD); ) {
    const next = await texts.next();
    isDone = next.done === true;
    if (next.done) continue;
    head += next.value;
    isBlank &&= next.value.trim() === '';
  }
  const all = async function* (): AsyncGenerator<string> {
    yield head;
    yield* texts;
  };
  return { head, all: all() };
};

/**
 * Reads a file to its documents and problems, in the order of the file. Holds one record at a time where records can be
 * told apart without reading all of them: lists and lines of JSON.
 */
export async function* readFile(file: InputFile, options: ReadOptions = {}): AsyncGenerator<Piece> {
  const reading: Reading = { ...options, file, origin: { path: file.path, source: options.source } };
  try {
    const { head, all } = await withHead(decoded(file.bytes()));
    if (head.trim() === '') return;
    const syntax = syntaxOf(head, file.path, options.format);
    if (syntax === undefined) yield* unknown(reading);
    else if (syntax === 'json') yield* readJsonFile(reading, all, head);
    else {
      const most = syntax === 'csv' || syntax === 'tags' ? LIMITS.record : LIMITS.policyFile;
      const written = await gather(all, most);
      yield* written === undefined
        ? [refused(reading, new Unreadable(`the file is longer than ${most} characters`))]
        : readWhole(reading, syntax, written);
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    yield refused(reading, error);
  }
}
