import { classOf, DIGIT, HEX, JOINER, LOWER, UNSPACED, UPPER, WORD_BITS } from './characters.ts';
import { type Folded, fold } from './fold.ts';
import { digestAt, identifierAt, isUuid, purlEnd } from './identifiers.ts';
import { stem } from './stem.ts';
import { isStopWord } from './stop-words.ts';

/** Kinds of terms. The number is a term's first byte, which separates kinds in a dictionary; words have none. */
export const KIND = { word: 0, identifier: 1, name: 2, exact: 3 } as const;

export type Kind = (typeof KIND)[keyof typeof KIND];

/** Role of a term: alone, whole of following parts, part of a whole, part of an identifier. */
export const ROLE = { alone: 0, whole: 1, part: 2, identifierPart: 3 } as const;

export type Role = (typeof ROLE)[keyof typeof ROLE];

export interface TermSink {
  /** Receives `bytes[0..length)`, valid during the call. @param start range in UTF-16 units of the folded text */
  term(bytes: Uint8Array, length: number, kind: Kind, role: Role, start: number, end: number): void;
}

const MAX_WORD_LENGTH = 64;
const MAX_NAME_LENGTH = 120;
const MAX_COMPOUND_LENGTH = 240;
const MAX_PARTS = 32;
const MIN_HEX = 12;
/** Names of products whose second capital begins no word of its own. */
const NO_HUMPS: ReadonlySet<string> = new Set(['javascript', 'typescript', 'github', 'gitlab']);

const COLON = 58;
const AT = 64;
const SLASH = 47;
const UNDERSCORE = 95;
const HYPHEN = 45;
const PERCENT = 37;

const isUpperSegment = (code: number): boolean => code === SLASH || code === AT || code === COLON;

/** Splits texts into terms for indexing, queries and highlights; allocates no strings, since it dominates a build. */
export class Analyser {
  readonly #bytes = new Uint8Array(MAX_COMPOUND_LENGTH * 4 + 8);
  readonly #starts = new Uint32Array(MAX_PARTS);
  readonly #ends = new Uint32Array(MAX_PARTS);
  #parts = 0;
  #text = '';
  #limit = 0;
  #sink: TermSink = { term: () => undefined };

  /** Passes every term of `text` to `sink`; returns the folded text that positions refer to. */
  analyse(text: string, sink: TermSink): Folded {
    const folded = fold(text);
    this.#text = folded.text;
    this.#limit = folded.text.length;
    this.#sink = sink;
    this.#read(0, folded.text.length);
    return folded;
  }

  /** Analyses the range `[from, to)` of an ASCII text between blanks; positions refer to the text. */
  analysePiece(text: string, from: number, to: number, sink: TermSink): void {
    this.#text = text;
    this.#limit = to;
    this.#sink = sink;
    this.#read(from, to);
  }

  #read(from: number, to: number): void {
    const text = this.#text;
    let at = from;
    while (at < to) {
      const code = text.charCodeAt(at);
      const first = classOf(code);
      if ((first & WORD_BITS) === 0) {
        at++;
        continue;
      }
      // 'p' or 'P'
      if ((code | 32) === 112) {
        const end = purlEnd(text, at);
        if (end > at) {
          this.#purl(at, end);
          at = end;
          continue;
        }
      }
      at = this.#run(at, first);
    }
  }

  /** Word characters, and joiners between them. @returns where it ends */
  #run(start: number, first: number): number {
    const text = this.#text;
    const length = this.#limit;
    let every = first;
    let any = first;
    let at = start + 1;
    let partStart = start;
    this.#parts = 0;
    for (;;) {
      let bits = at < length ? classOf(text.charCodeAt(at)) : 0;
      while ((bits & WORD_BITS) !== 0) {
        any |= bits;
        every &= bits;
        at++;
        bits = at < length ? classOf(text.charCodeAt(at)) : 0;
      }
      this.#part(partStart, at);
      if ((bits & JOINER) === 0) break;
      const isPath = text.charCodeAt(at) === COLON && text.charCodeAt(at + 1) === COLON;
      const next = isPath ? at + 2 : at + 1;
      if (next >= length || (classOf(text.charCodeAt(next)) & WORD_BITS) === 0) break;
      at = next;
      partStart = next;
    }
    if (this.#parts === 1) this.#word(start, at, any, every, ROLE.alone);
    else this.#compound(start, at);
    return at;
  }

  #part(start: number, end: number): void {
    if (this.#parts === MAX_PARTS) {
      // Parts beyond the maximum form one long part.
      this.#ends[MAX_PARTS - 1] = end;
      return;
    }
    this.#starts[this.#parts] = start;
    this.#ends[this.#parts++] = end;
  }

  /** A run without joiners. */
  #word(start: number, end: number, any: number, every: number, role: Role): void {
    if ((any & UNSPACED) !== 0) {
      this.#unspaced(start, end, role);
      return;
    }
    const isHex = end - start >= MIN_HEX && (every & HEX) !== 0 && (any & DIGIT) !== 0;
    if (isHex && (any & (LOWER | UPPER)) !== 0) {
      this.#emit(KIND.identifier, role === ROLE.identifierPart ? role : ROLE.alone, start, end);
      return;
    }
    if ((any & UPPER) !== 0 && (any & LOWER) !== 0 && end - start > 5 && this.#humps(start, end, role)) return;
    this.#plain(start, end, role);
  }

  /** The stem of a word, unless it is a stop word. */
  #plain(start: number, end: number, role: Role): void {
    const bytes = this.#bytes;
    const to = Math.min(end, start + MAX_WORD_LENGTH);
    const length = this.#write(0, start, to, false);
    if (isStopWord(bytes, length)) return;
    // Only words of nothing but ASCII letters have an English stem.
    const stemmed = length === to - start && this.#isLetters(length) ? stem(bytes, length) : length;
    this.#sink.term(bytes, stemmed, KIND.word, role, start, end);
  }

  #isLetters(length: number): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) {
      const byte = bytes[i] ?? 0;
      if (byte < 97 || byte > 122) return false;
    }
    return true;
  }

  /** 'fromJSON' is also 'from' and 'json', 'HTTPServer' also 'http' and 'server'. @returns whether there were any */
  #humps(start: number, end: number, role: Role): boolean {
    const text = this.#text;
    let from = start;
    let found = 0;
    for (let at = start + 1; at <= end; at++) {
      const isEnd = at === end || this.#isHump(at, end);
      if (!isEnd) continue;
      if (from === start && at === end) return false;
      if (found === 0) {
        if (NO_HUMPS.has(text.slice(start, end).toLowerCase())) return false;
        this.#plain(start, end, role === ROLE.alone ? ROLE.whole : role);
      }
      found++;
      if (at - from > 2) this.#plain(from, at, role === ROLE.alone ? ROLE.part : role);
      from = at;
    }
    return true;
  }

  #isHump(index: number, end: number): boolean {
    if ((classOf(this.#text.charCodeAt(index)) & UPPER) === 0) return false;
    if ((classOf(this.#text.charCodeAt(index - 1)) & LOWER) !== 0) return true;
    return (
      index + 1 < end &&
      (classOf(this.#text.charCodeAt(index - 1)) & UPPER) !== 0 &&
      (classOf(this.#text.charCodeAt(index + 1)) & LOWER) !== 0
    );
  }

  /** Scripts without blanks between words: every two neighbours are a term; the rest of the run as always. */
  #unspaced(start: number, end: number, role: Role): void {
    let at = start;
    while (at < end) {
      const isUnspaced = (classOf(this.#text.charCodeAt(at)) & UNSPACED) !== 0;
      let to = at + 1;
      while (to < end && ((classOf(this.#text.charCodeAt(to)) & UNSPACED) !== 0) === isUnspaced) to++;
      if (!isUnspaced) this.#plain(at, to, role);
      else if (to - at === 1) this.#emit(KIND.word, role, at, to);
      else for (let i = at; i + 1 < to; i++) this.#emit(KIND.word, role, i, i + 2);
      at = to;
    }
  }

  /** A run with joiners: identifiers in it, the name as a whole, names between slashes, and its words. */
  #compound(start: number, end: number): void {
    const isComplete = end - start <= MAX_COMPOUND_LENGTH;
    const partRole = isComplete && this.#identifiers(start, end) ? ROLE.identifierPart : ROLE.part;
    const isIdentifier = partRole === ROLE.identifierPart;
    const isVersion = isComplete && !isIdentifier && this.#isVersion();
    if (isVersion) this.#version(start, end);
    else if (!isIdentifier && end - start <= MAX_NAME_LENGTH) this.#emit(KIND.name, ROLE.whole, start, end);
    if (isComplete && !isIdentifier && !isVersion) this.#segments(end);
    for (let i = 0; i < this.#parts; i++) this.#partWord(i, partRole);
  }

  /** @returns whether the whole run is one identifier */
  #identifiers(start: number, end: number): boolean {
    const text = this.#text;
    if (isUuid(text, start, end)) {
      this.#emit(KIND.identifier, ROLE.alone, start, end);
      return true;
    }
    let isComplete = false;
    for (let i = 0; i < this.#parts; i++) {
      const from = this.#starts[i] ?? 0;
      const digest = digestAt(text, from, end);
      const to = digest > 0 ? digest : identifierAt(text, from, end);
      if (to === 0) continue;
      // A digest is identified by its value, however its algorithm is written.
      const value = digest > 0 ? text.indexOf(':', from) + 1 : from;
      this.#emit(KIND.identifier, ROLE.alone, value, to);
      isComplete ||= from === start && to === end;
      while (i + 1 < this.#parts && (this.#ends[i] ?? 0) < to) i++;
    }
    return isComplete;
  }

  /** Version numbers: '1.2', 'v1.2.3-beta'. */
  #isVersion(): boolean {
    const isNumber = (i: number): boolean =>
      (classOf(this.#text.charCodeAt(this.#withoutV(this.#starts[i] ?? 0))) & DIGIT) !== 0;
    return isNumber(0) && isNumber(1) && this.#text.charCodeAt(this.#ends[0] ?? 0) === 46;
  }

  #version(start: number, end: number): void {
    const from = this.#withoutV(start);
    this.#emit(KIND.name, ROLE.alone, from, Math.min(end, from + MAX_NAME_LENGTH));
    if (this.#parts > 2) this.#emit(KIND.name, ROLE.identifierPart, from, this.#ends[1] ?? end);
  }

  #withoutV(start: number): number {
    const isPrefixed = (this.#text.charCodeAt(start) | 32) === 118;
    return isPrefixed && (classOf(this.#text.charCodeAt(start + 1)) & DIGIT) !== 0 ? start + 1 : start;
  }

  /** 'log4j-core' of 'org.apache:log4j-core'; 'owner/name' of 'github.com/owner/name'; '1.2' of 'name@1.2'. */
  #segments(end: number): void {
    const text = this.#text;
    let from = 0;
    let segments = 0;
    for (let i = 0; i < this.#parts; i++) {
      const to = this.#ends[i] ?? end;
      const isLast = i + 1 === this.#parts;
      if (!isLast && !isUpperSegment(text.charCodeAt(to))) continue;
      if (isLast && segments === 0) return;
      if (i > from) this.#emit(KIND.name, ROLE.whole, this.#withoutV(this.#starts[from] ?? 0), to);
      if (segments === 0 && text.charCodeAt(to) === SLASH && this.#hasSlashAfter(i + 1) && i + 1 < this.#parts)
        this.#emit(KIND.name, ROLE.whole, this.#starts[i + 1] ?? 0, Math.min(end, to + MAX_NAME_LENGTH));
      segments++;
      from = i + 1;
    }
  }

  #hasSlashAfter(part: number): boolean {
    for (let i = part; i + 1 < this.#parts; i++) if (this.#text.charCodeAt(this.#ends[i] ?? 0) === SLASH) return true;
    return false;
  }

  /** Emits a part of a compound word, unless it is a single letter or up to two digits. */
  #partWord(index: number, role: Role): void {
    const start = this.#starts[index] ?? 0;
    const end = this.#ends[index] ?? 0;
    const first = classOf(this.#text.charCodeAt(start));
    if (end - start < 2 && (first & UNSPACED) === 0) return;
    let any = first;
    let every = first;
    for (let at = start + 1; at < end; at++) {
      const bits = classOf(this.#text.charCodeAt(at));
      any |= bits;
      every &= bits;
    }
    if (end - start < 3 && (every & DIGIT) !== 0) return;
    this.#word(start, end, any, every, role);
  }

  /** A package URL: with its version, without it, the package's own name, and the words of that. */
  #purl(start: number, end: number): void {
    const text = this.#text;
    const slash = text.indexOf('/', start);
    const plain = slash > 0 && slash < end ? slash : start + 4;
    const version = text.lastIndexOf('@', end - 1);
    const nameEnd = version > plain + 1 ? version : end;
    if (end - start <= MAX_COMPOUND_LENGTH) this.#emit(KIND.identifier, ROLE.alone, start, nameEnd);
    if (nameEnd < end && end - start <= MAX_COMPOUND_LENGTH)
      this.#emit(KIND.identifier, ROLE.identifierPart, start, end);
    this.#runs(plain, nameEnd);
    this.#runs(nameEnd, end);
    this.#limit = text.length;
  }

  #runs(start: number, end: number): void {
    const text = this.#text;
    this.#limit = end;
    let at = start;
    while (at < end) {
      const first = classOf(text.charCodeAt(at));
      // An escaped '@' begins a scope.
      if ((first & WORD_BITS) === 0) at += text.startsWith('%40', at) ? 3 : 1;
      else at = this.#run(at, first);
    }
  }

  #emit(kind: Kind, role: Role, start: number, end: number): void {
    const offset = kind === KIND.word ? 0 : 1;
    if (offset > 0) this.#bytes[0] = kind;
    const length = this.#write(offset, start, end, kind !== KIND.word);
    this.#sink.term(this.#bytes, length, kind, role, start, end);
  }

  /** Lower-case UTF-8. In names a `_` is a `-`, as package registries have it. @returns the length */
  #write(offset: number, start: number, end: number, isName: boolean): number {
    const text = this.#text;
    const bytes = this.#bytes;
    let length = offset;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code < 128) {
        if (code === PERCENT && text.startsWith('%40', at)) {
          bytes[length++] = AT;
          at += 2;
        } else if (code >= 65 && code <= 90) bytes[length++] = code + 32;
        else bytes[length++] = isName && code === UNDERSCORE ? HYPHEN : code;
      } else if (code < 0x800) {
        bytes[length++] = 0xc0 | (code >> 6);
        bytes[length++] = 0x80 | (code & 63);
      } else {
        // A surrogate is encoded by itself: the bytes only have to differ, and be the same each time.
        bytes[length++] = 0xe0 | (code >> 12);
        bytes[length++] = 0x80 | ((code >> 6) & 63);
        bytes[length++] = 0x80 | (code & 63);
      }
    }
    return length;
  }
}
