import { Analyser, KIND, type Kind, type TermSink } from '../text/analyser.ts';
import { CLASSES, JOINER, WORD_BITS } from '../text/characters.ts';
import { eachExactTerm } from '../text/exact-names.ts';
import { fold } from '../text/fold.ts';
import { purlEnd } from '../text/identifiers.ts';
import { RunCache } from './run-cache.ts';
import { resized, TermTable } from './term-table.ts';

/** Texts longer than this are indexed as far as this, in characters. */
const MAX_TEXT_LENGTH = 100_000;
/** Longer runs are digests and the like, which seldom repeat. */
const MAX_RUN_LENGTH = 96;
const MAX_CACHED_LENGTH = 4_096;
/** Upper bounds of the cache, some 30 MB. */
const MAX_TERMS = 1 << 18;
const MAX_RUNS = 1 << 18;
const MAX_CACHED_BYTES = 1 << 22;
const MAX_LISTED = 1 << 20;

const COLON = 58;
const LETTER_K = 107;
const LETTER_P = 112;

/** Cache of analysed words of a thread: term numbers, and terms of runs, names and texts. Cleared beyond its bounds. */
export class Vocabulary implements TermSink {
  readonly #analyser = new Analyser();
  readonly #buffer = Buffer.alloc(MAX_TEXT_LENGTH * 3 + 2);
  #terms = new TermTable();
  #runs = new RunCache();
  readonly #texts = new Map<string, number>();
  readonly #names = new Map<string, number>();
  #characters = 0;
  /** Concatenated lists, each a count and term numbers. */
  #lists = new Uint32Array(1 << 14);
  #kept = 0;
  #end = 0;
  readonly #takeOwn = (bytes: Uint8Array, length: number): void => this.term(bytes, length, KIND.exact);

  get terms(): TermTable {
    return this.#terms;
  }

  /** Lists that `text` and `name` return positions in. */
  get lists(): Uint32Array {
    return this.#lists;
  }

  /** Clears the cache where it is full. Call it while no term number is in use. @returns whether it was cleared */
  makeRoom(): boolean {
    if (this.#terms.count < MAX_TERMS && this.#runs.count < MAX_RUNS) return false;
    this.#terms = new TermTable();
    this.#runs = new RunCache();
    this.#forgetLists();
    return true;
  }

  #forgetLists(): void {
    this.#texts.clear();
    this.#names.clear();
    this.#characters = 0;
    this.#kept = 0;
  }

  /** Reads the terms of a text. @param isRepeated the text is likely to come again */
  text(text: string, isRepeated: boolean): number {
    const isRetained = isRepeated && text.length <= MAX_CACHED_LENGTH;
    const known = isRetained ? this.#texts.get(text) : undefined;
    if (known !== undefined) return known;
    const list = this.#begin(text);
    this.#read(text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text);
    if (isRetained) this.#keep(this.#texts, text);
    return this.#finish(list);
  }

  /** Adds the terms of a name: its words and the name as a whole. */
  name(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    const list = this.#begin(name);
    this.#read(name.length > MAX_TEXT_LENGTH ? name.slice(0, MAX_TEXT_LENGTH) : name);
    eachExactTerm(name, this.#takeOwn);
    if (name.length <= MAX_CACHED_LENGTH) this.#keep(this.#names, name);
    return this.#finish(list);
  }

  #begin(text: string): number {
    if (this.#characters + text.length > MAX_CACHED_BYTES || this.#kept > MAX_LISTED) this.#forgetLists();
    this.#end = this.#kept + 1;
    this.#reserve(0);
    return this.#kept;
  }

  #keep(vocabulary: Map<string, number>, text: string): void {
    vocabulary.set(text, this.#kept);
    this.#characters += text.length;
    this.#kept = this.#end;
  }

  #finish(list: number): number {
    this.#lists[list] = this.#end - list - 1;
    return list;
  }

  #reserve(count: number): void {
    if (this.#end + count > this.#lists.length) this.#lists = resized(this.#lists, this.#end + count);
  }

  term(bytes: Uint8Array, length: number, _kind: Kind): void {
    this.#reserve(1);
    this.#lists[this.#end++] = this.#terms.add(bytes, length);
  }

  #read(text: string): void {
    // As many bytes as UTF-16 units: the text is ASCII.
    if (this.#buffer.write(text) === text.length) this.#scan(text);
    else {
      const folded = fold(text).text;
      if (folded.length <= MAX_TEXT_LENGTH && this.#buffer.write(folded) === folded.length) this.#scan(folded);
      else this.#analyser.analyse(text, this);
    }
  }

  #scan(text: string): void {
    const bytes = this.#buffer;
    const length = text.length;
    // Two characters that occur in no run end every run.
    bytes[length] = 0;
    bytes[length + 1] = 0;
    for (let index = 0; index < length; ) {
      const first = bytes[index] ?? 0;
      if (((CLASSES[first] ?? 0) & WORD_BITS) === 0) index++;
      else {
        const isPurl = (first | 32) === LETTER_P && ((bytes[index + 1] ?? 0) | 32) === LETTER_K;
        const end = isPurl ? purlEnd(text, index) : index;
        index = end > index ? this.#purl(text, index, end) : this.#run(text, index);
      }
    }
  }

  #run(text: string, start: number): number {
    const bytes = this.#buffer;
    let hash = 0x811c9dc5;
    let at = start;
    for (;;) {
      hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
      at++;
      const bits = CLASSES[bytes[at] ?? 0] ?? 0;
      if ((bits & WORD_BITS) !== 0) continue;
      if ((bits & JOINER) === 0) break;
      const isPath = bytes[at] === COLON && bytes[at + 1] === COLON;
      const next = isPath ? at + 2 : at + 1;
      if (((CLASSES[bytes[next] ?? 0] ?? 0) & WORD_BITS) === 0) break;
      for (; at < next; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    }
    this.#known(text, start, at, hash);
    return at;
  }

  #purl(text: string, start: number, end: number): number {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (this.#buffer[at] ?? 0), 0x01000193);
    this.#known(text, start, end, hash);
    return end;
  }

  #known(text: string, start: number, end: number, unmixed: number): void {
    const half = Math.imul(unmixed ^ (unmixed >>> 15), 0x2c1b3c6d);
    const hash = (half ^ (half >>> 13)) >>> 0;
    const run = this.#runs.find(this.#buffer, start, end, hash);
    if (run < 0) this.#meet(text, start, end, hash);
    else {
      this.#reserve(MAX_RUN_LENGTH * 2);
      this.#end = this.#runs.copy(run, this.#lists, this.#end);
    }
  }

  /** Asks the analyser about a run that is met for the first time. */
  #meet(text: string, start: number, end: number, hash: number): void {
    const from = this.#end;
    this.#analyser.analyse(text.slice(start, end), this);
    if (end - start <= MAX_RUN_LENGTH && this.#end - from <= MAX_RUN_LENGTH * 2)
      this.#runs.add(this.#buffer, start, end, hash, this.#lists, from, this.#end);
  }
}
