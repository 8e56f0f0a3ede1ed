import { ENTITY_TYPES, SEVERITIES } from '../domains.ts';
import { Analyser, KIND, type Kind, type TermSink } from '../text/analyser.ts';
import { eachOwnTerm } from '../text/own.ts';
import { assemble } from './assemble.ts';
import { entityHash } from './entity-hash.ts';
import type { IndexedChunk } from './lane.ts';
import type { Segment } from './segment.ts';
import { grown, TermTable } from './term-table.ts';
import { partOf, perOccurrence, WEIGHTS } from './weights.ts';

/** Texts longer than this are indexed as far as this, in characters. */
const LONGEST_FIELD = 100_000;

const FIELDS = [WEIGHTS.identifiers, WEIGHTS.title, WEIGHTS.body] as const;

/** Makes a segment of chunks: all of one tenant and one domain, each number once. */
export class SegmentBuilder implements TermSink {
  readonly #analyser = new Analyser();
  readonly #table = new TermTable();
  readonly #chunks: IndexedChunk[] = [];
  /** Postings in the order of documents: the term, and its part of a score there. */
  #terms = new Uint32Array(1 << 14);
  #parts = new Uint16Array(1 << 14);
  #used = 0;
  readonly #ends: number[] = [];
  /** Of each term: the document that had it last plus one, and its place among that document's terms. */
  #seenIn = new Uint32Array(1 << 12);
  #slots = new Uint32Array(1 << 12);
  /** The document's terms, and how often each is in each field. */
  #docTerms = new Uint32Array(1 << 10);
  #counts = new Uint32Array(3 << 10);
  readonly #takeOwn = (bytes: Uint8Array, length: number): void => this.term(bytes, length, KIND.own);
  #distinct = 0;
  #field = 0;
  #length = 0;

  add(chunk: IndexedChunk): void {
    this.#chunks.push(chunk);
    this.#distinct = 0;
    const lengths = [this.#read(0, chunk), this.#read(1, chunk), this.#read(2, chunk)];
    this.#weigh(lengths);
    this.#ends.push(this.#used);
  }

  #read(field: number, chunk: IndexedChunk): number {
    this.#field = field;
    this.#length = 0;
    if (field === 1) this.#analyse(chunk.title);
    else if (field === 2) this.#analyse(chunk.body);
    else {
      for (const identifier of chunk.identifiers) this.#own(identifier);
      for (const name of chunk.packages) this.#own(name);
    }
    return this.#length;
  }

  #own(name: string): void {
    this.#analyse(name);
    eachOwnTerm(name, this.#takeOwn);
  }

  #analyse(text: string): void {
    this.#analyser.analyse(text.length > LONGEST_FIELD ? text.slice(0, LONGEST_FIELD) : text, this);
  }

  term(bytes: Uint8Array, length: number, _kind: Kind): void {
    this.#length++;
    const id = this.#table.add(bytes, length);
    if (id >= this.#seenIn.length) {
      this.#seenIn = grown(this.#seenIn, id + 1);
      this.#slots = grown(this.#slots, id + 1);
    }
    const doc = this.#chunks.length;
    let slot = this.#slots[id] ?? 0;
    if (this.#seenIn[id] !== doc) {
      slot = this.#distinct++;
      this.#seenIn[id] = doc;
      this.#slots[id] = slot;
      if (slot >= this.#docTerms.length) {
        this.#docTerms = grown(this.#docTerms, slot + 1);
        this.#counts = grown(this.#counts, (slot + 1) * 3);
      }
      this.#docTerms[slot] = id;
      this.#counts.fill(0, slot * 3, slot * 3 + 3);
    }
    const at = slot * 3 + this.#field;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** BM25F: occurrences weighed by field are added up, and saturated once. */
  #weigh(lengths: readonly number[]): void {
    if (this.#used + this.#distinct > this.#terms.length) {
      this.#terms = grown(this.#terms, this.#used + this.#distinct);
      this.#parts = grown(this.#parts, this.#used + this.#distinct);
    }
    const [identifiers, title, body] = FIELDS;
    const perIdentifier = perOccurrence(identifiers, lengths[0] ?? 0);
    const perTitle = perOccurrence(title, lengths[1] ?? 0);
    const perBody = perOccurrence(body, lengths[2] ?? 0);
    for (let slot = 0, at = 0; slot < this.#distinct; slot++, at += 3) {
      const weighted =
        (this.#counts[at] ?? 0) * perIdentifier +
        (this.#counts[at + 1] ?? 0) * perTitle +
        (this.#counts[at + 2] ?? 0) * perBody;
      this.#terms[this.#used] = this.#docTerms[slot] ?? 0;
      this.#parts[this.#used++] = partOf(weighted);
    }
  }

  /** The segment; the builder is used up. */
  finish(): Segment {
    const { offsets, bytes, ranks, hashes } = this.#table.sorted();
    const count = this.#chunks.length;
    const first = this.#chunks[0];
    const entities = this.#chunks.map(({ entityKey }) => entityHash(entityKey));
    const ecosystemNames = [...new Set(this.#chunks.flatMap(({ ecosystem }) => ecosystem ?? []))];
    const ecosystemPlaces = new Map(ecosystemNames.map((name, i) => [name, i + 1]));
    return assemble({
      tenant: first?.tenant ?? '',
      domain: first?.domain ?? '',
      ecosystemNames,
      termOffsets: offsets,
      termBytes: bytes,
      termHashes: hashes,
      ...this.#postings(ranks),
      numbers: Float64Array.from(this.#chunks, ({ number }) => number),
      entityHigh: Uint32Array.from({ length: count }, (_, doc) => entities[doc]?.[0] ?? 0),
      entityLow: Uint32Array.from({ length: count }, (_, doc) => entities[doc]?.[1] ?? 0),
      ...keysOf(this.#chunks),
      severities: Uint8Array.from(this.#chunks, ({ severity }) => (severity ? SEVERITIES.indexOf(severity) + 1 : 0)),
      entityTypes: Uint8Array.from(this.#chunks, ({ entityType }) => ENTITY_TYPES.indexOf(entityType) + 1),
      ecosystems: Uint16Array.from(this.#chunks, ({ ecosystem }) => ecosystemPlaces.get(ecosystem ?? '') ?? 0),
    });
  }

  /** From the order of documents to the order of terms; within a term documents stay in theirs. */
  #postings(ranks: Uint32Array): { postingOffsets: Uint32Array; postingDocs: Uint32Array; postingParts: Uint16Array } {
    const postingOffsets = new Uint32Array(ranks.length + 1);
    for (let i = 0; i < this.#used; i++) {
      const rank = ranks[this.#terms[i] ?? 0] ?? 0;
      postingOffsets[rank + 1] = (postingOffsets[rank + 1] ?? 0) + 1;
    }
    for (let rank = 0; rank < ranks.length; rank++)
      postingOffsets[rank + 1] = (postingOffsets[rank + 1] ?? 0) + (postingOffsets[rank] ?? 0);
    const next = postingOffsets.slice();
    const postingDocs = new Uint32Array(this.#used);
    const postingParts = new Uint16Array(this.#used);
    let doc = 0;
    for (let i = 0; i < this.#used; i++) {
      while (i >= (this.#ends[doc] ?? 0)) doc++;
      const rank = ranks[this.#terms[i] ?? 0] ?? 0;
      const at = next[rank] ?? 0;
      next[rank] = at + 1;
      postingDocs[at] = doc;
      postingParts[at] = this.#parts[i] ?? 0;
    }
    return { postingOffsets, postingDocs, postingParts };
  }
}

const keysOf = (chunks: readonly IndexedChunk[]): { entityOffsets: Uint32Array; entityBytes: Uint8Array } => {
  const entityBytes = Buffer.from(chunks.map(({ entityKey }) => entityKey).join(''));
  const entityOffsets = new Uint32Array(chunks.length + 1);
  chunks.forEach(({ entityKey }, doc) => {
    entityOffsets[doc + 1] = (entityOffsets[doc] ?? 0) + Buffer.byteLength(entityKey);
  });
  return { entityOffsets, entityBytes };
};
