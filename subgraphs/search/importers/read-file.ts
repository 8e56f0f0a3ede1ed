import type { Chunk } from '../corpus/chunk.ts';
import { isIndexableKey } from '../corpus/size-limits.ts';
import { readCsv } from './csv.ts';
import { formatOf, READERS, type Syntax, syntaxOf } from './format-detection.ts';
import { elementLines } from './json-positions.ts';
import { readJson } from './json-records.ts';
import { readKevRow } from './kev.ts';
import { LIMITS } from './limits.ts';
import { readMarkdownAdvisory } from './markdown-advisory.ts';
import {
  type Format,
  type ImportPiece,
  type Origin,
  type Reader,
  type ReadResult,
  rejection,
  SKIP_REASONS,
  Unreadable,
} from './reader.ts';
import { readRego } from './rego.ts';
import { readSpdxTags } from './spdx.ts';
import { isFields } from './values.ts';
import { readYaml } from './yaml-documents.ts';

/** Input file, already decompressed. */
export interface InputFile {
  readonly name: string;
  /** Last path segments with `/`, independent of the root of the import. */
  readonly path: string;
  /** Full package path in a repository of VEX documents; the file's path when absent. */
  readonly packagePath?: string | undefined;
  /** Hash that identifies the file; unset for a text without one. */
  readonly file?: string | undefined;
  /** Named by the caller: unreadable content is rejected, where files of a folder are skipped. */
  readonly isGiven: boolean;
  bytes(): AsyncIterable<Uint8Array>;
}

export interface ReadOptions {
  readonly format?: Format | undefined;
  readonly source?: string | undefined;
}

const HEAD = 16_384;

interface Reading extends ReadOptions {
  readonly file: InputFile;
  readonly origin: Origin;
}

const refused = ({ file }: Reading, { message, line }: Unreadable, from?: number): ImportPiece => ({
  kind: 'refused',
  refusal: rejection(file.name, line ?? from, message),
});

/** @throws Unreadable where a name is longer than an index takes */
const checked = (chunk: Chunk): Chunk => {
  const long = [chunk.documentKey, chunk.entityKey].find((key) => !isIndexableKey(key));
  if (long !== undefined) throw new Unreadable(`its name has ${long.length} characters: '${long.slice(0, 60)}…'`);
  return chunk;
};

const pieceOf = (reading: Reading, entry: ReadResult, line?: number): ImportPiece =>
  entry instanceof Unreadable ? refused(reading, entry, line) : { kind: 'document', chunks: [checked(entry)] };

/** Treats stack overflows of deeply nested input as unreadable. */
const asUnreadable = (error: unknown): Unreadable => {
  if (error instanceof Unreadable) return error;
  if (error instanceof RangeError) return new Unreadable('it is nested too deep, or has too much in one place');
  throw error;
};

const fitted = (reading: Reading, entry: ReadResult, line?: number): ImportPiece => {
  try {
    return pieceOf(reading, entry, line);
  } catch (error) {
    return refused(reading, asUnreadable(error), line);
  }
};

const piecesOf = (reading: Reading, read: () => readonly ReadResult[], line?: number): readonly ImportPiece[] => {
  try {
    return read().map((entry) => fitted(reading, entry, line));
  } catch (error) {
    return [refused(reading, asUnreadable(error), line)];
  }
};

const unknown = (reading: Reading, line?: number): readonly ImportPiece[] =>
  reading.file.isGiven
    ? [refused(reading, new Unreadable('nothing of it says which format it is; say it with a format', line))]
    : [{ kind: 'skipped', file: reading.file.name, reason: SKIP_REASONS.format }];

/** Adds the line of a broken list element; lists are located on demand. */
const placing = (text: string | undefined, from = 1): ((entry: ReadResult) => ReadResult) => {
  const lists = new Map<string, readonly number[]>();
  return (entry) => {
    if (!(entry instanceof Unreadable) || entry.line !== undefined || !entry.element || text === undefined)
      return entry;
    const { list, index } = entry.element;
    const lines = lists.get(list) ?? elementLines(text, list);
    lists.set(list, lines);
    const line = lines[index];
    return line === undefined ? entry : new Unreadable(entry.message, line + from - 1);
  };
};

const readRecord = (
  reading: Reading,
  value: unknown,
  line: number | undefined,
  text?: string,
): readonly ImportPiece[] => {
  if (!isFields(value)) return unknown(reading, line);
  const format = reading.format ?? formatOf(value);
  if (format === undefined || format === 'rego' || format === 'rustsec') return unknown(reading, line);
  const entries = () => READERS[format](value, reading.origin).map(placing(text, line));
  return piecesOf(reading, entries, line);
};

async function* readJsonFile(
  reading: Reading,
  texts: AsyncIterable<string>,
  head: string,
): AsyncGenerator<ImportPiece> {
  for await (const piece of readJson(texts, head))
    if (piece instanceof Unreadable) yield refused(reading, piece);
    else yield* readRecord(reading, piece.value, piece.line, piece.written);
}

const readYamlFile = (reading: Reading, text: string): ImportPiece[] =>
  readYaml(text).flatMap((document) =>
    document instanceof Unreadable ? [refused(reading, document)] : readRecord(reading, document.value, document.line),
  );

const readRows = (reading: Reading, text: string, read: Reader): ImportPiece[] =>
  readCsv(text).flatMap((row) =>
    row instanceof Unreadable
      ? [refused(reading, row)]
      : piecesOf(reading, () => read(row.values, reading.origin), row.line),
  );

/** Whether a file holds Rego tests, which are not imported. */
const isRegoTest = (path: string): boolean => path.endsWith('_test.rego');

const readWhole = (reading: Reading, syntax: Syntax, text: string): readonly ImportPiece[] => {
  if (syntax === 'csv') return readRows(reading, text, readKevRow);
  if (syntax === 'tags') return piecesOf(reading, () => readSpdxTags(text, reading.origin));
  if (syntax === 'yaml') return readYamlFile(reading, text);
  if (syntax === 'markdown') return piecesOf(reading, () => readMarkdownAdvisory(text, reading.origin));
  if (isRegoTest(reading.file.path)) return [{ kind: 'skipped', file: reading.file.name, reason: SKIP_REASONS.test }];
  return piecesOf(reading, () => readRego(text, reading.origin));
};

const gather = async (texts: AsyncIterable<string>, most: number): Promise<string | undefined> => {
  let source = '';
  for await (const text of texts) {
    source += text;
    if (source.length > most) return undefined;
  }
  return source;
};

/** Encoding by byte order mark; Windows shells write UTF-16. */
const encodingOf = ([first, second]: Uint8Array): string => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
};

async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  for await (const part of bytes) {
    decoder ??= new TextDecoder(encodingOf(part));
    yield decoder.decode(part, { stream: true });
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield rest;
}

/** Whether enough was read to detect the format; for an object in one long line, also whether another line follows. */
const createEnough = () => {
  let [length, isBlank, isObject, hasEnd] = [0, true, false, false];
  return (text: string): boolean => {
    length += text.length;
    if (isBlank) {
      isObject = text.trimStart().startsWith('{');
      isBlank = text.trim() === '';
    }
    hasEnd ||= !isBlank && text.trimStart().includes('\n');
    return length >= LIMITS.record || (!isBlank && length >= HEAD && (hasEnd || !isObject));
  };
};

const withHead = async (
  texts: AsyncGenerator<string>,
): Promise<{ readonly head: string; readonly all: AsyncGenerator<string> }> => {
  const isEnough = createEnough();
  let head = '';
  for (let isDone = false; !isDone; ) {
    const next = await texts.next();
    if (next.done) break;
    head += next.value;
    isDone = isEnough(next.value);
  }
  const all = async function* (): AsyncGenerator<string> {
    yield head;
    yield* texts;
  };
  return { head, all: all() };
};

/** Reads a file to documents and rejections in order. Lists and lines of JSON are streamed record by record. */
export async function* readFile(file: InputFile, options: ReadOptions = {}): AsyncGenerator<ImportPiece> {
  const reading: Reading = {
    ...options,
    file,
    origin: {
      path: file.path,
      packagePath: file.packagePath ?? file.path,
      file: file.file,
      source: options.source,
    },
  };
  try {
    const { head, all } = await withHead(decoded(file.bytes()));
    if (head.trim() === '') {
      yield file.isGiven
        ? refused(reading, new Unreadable('it is empty'))
        : { kind: 'skipped', file: file.name, reason: SKIP_REASONS.empty };
      return;
    }
    const syntax = syntaxOf(head, file.path, options.format);
    if (syntax === undefined) yield* unknown(reading);
    else if (syntax === 'json') yield* readJsonFile(reading, all, head);
    else {
      const most = syntax === 'csv' || syntax === 'tags' ? LIMITS.record : LIMITS.policyFile;
      const text = await gather(all, most);
      yield* text === undefined
        ? [refused(reading, new Unreadable(`the file is longer than ${most} characters`))]
        : readWhole(reading, syntax, text);
    }
  } catch (error) {
    yield refused(reading, asUnreadable(error));
  }
}
