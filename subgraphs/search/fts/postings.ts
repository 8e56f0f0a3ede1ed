import { partOf, perOccurrence, WEIGHTS } from './bm25f.ts';
import { resized } from './term-table.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A segment's terms, in the order of their bytes, and the postings of each. */
interface Finished {
  readonly termOffsets: Uint32Array;
  readonly termBytes: Uint8Array;
  readonly termHashes: Uint32Array;
  readonly postingOffsets: Uint32Array;
  readonly postingDocs: Uint32Array;
  readonly postingParts: Uint16Array;
}

const FIELDS = [WEIGHTS.identifiers, WEIGHTS.title, WEIGHTS.body] as const;

/** Collects postings, one segment after the other; its buffers are reused between segments. */
export class Postings {
  readonly #vocabulary: Vocabulary;
  /** Term and score part of each posting, in document order. */
  #terms = new Uint32Array(1 << 14);
  #parts = new Uint16Array(1 << 14);
  #used = 0;
  #docEnds = new Uint32Array(1 << 9);
  #docs = 0;
  /** Last document that contains a term and its slot, by term. */
  #seenIn = new Uint32Array(1 << 12);
  #slots = new Uint32Array(1 << 12);
  #stamp = 0;
  /** Last segment that contains a term and its document frequency there, by term. */
  #segmentOf = new Uint32Array(1 << 12);
  #frequencies = new Uint32Array(1 << 12);
  #segment = 0;
  #distinct = new Uint32Array(1 << 12);
  #distinctCount = 0;
  /** The document's terms, and how often each is in each field. */
  #docTerms = new Uint32Array(1 << 10);
  #counts = new Uint32Array(3 << 10);
  #docDistinct = 0;
  readonly #lengths = [0, 0, 0];

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  begin(): void {
    const isNew = this.#vocabulary.makeRoom();
    // Consecutive numbers would overflow eventually.
    if (isNew || this.#stamp > 0xf000_0000 || this.#segment > 0xf000_0000) {
      this.#seenIn.fill(0);
      this.#segmentOf.fill(0);
      this.#stamp = 0;
      this.#segment = 0;
    }
    this.#segment++;
    this.#used = 0;
    this.#docs = 0;
    this.#distinctCount = 0;
    this.#beginDocument();
  }

  #beginDocument(): void {
    this.#stamp++;
    this.#docDistinct = 0;
    this.#lengths.fill(0);
  }

  /** Counts a list of the vocabulary's as terms of the document's field: 0 identifiers, 1 title, 2 body. */
  count(list: number, field: number): void {
    const lists = this.#vocabulary.lists;
    const length = lists[list] ?? 0;
    this.#lengths[field] = (this.#lengths[field] ?? 0) + length;
    this.#reserve(length);
    const [seenIn, slots, counts, docTerms, stamp] = [
      this.#seenIn,
      this.#slots,
      this.#counts,
      this.#docTerms,
      this.#stamp,
    ];
    let distinct = this.#docDistinct;
    for (let i = list + 1; i <= list + length; i++) {
      const id = lists[i] ?? 0;
      if (seenIn[id] !== stamp) {
        seenIn[id] = stamp;
        slots[id] = distinct;
        docTerms[distinct] = id;
        counts[distinct * 3] = 0;
        counts[distinct * 3 + 1] = 0;
        counts[distinct * 3 + 2] = 0;
        distinct++;
      }
      const at = (slots[id] ?? 0) * 3 + field;
      counts[at] = (counts[at] ?? 0) + 1;
    }
    this.#docDistinct = distinct;
  }

  /** Room for every term there is, and for so many more of the document. */
  #reserve(more: number): void {
    const terms = this.#vocabulary.terms.count;
    if (terms > this.#seenIn.length) {
      this.#seenIn = resized(this.#seenIn, terms);
      this.#slots = resized(this.#slots, terms);
      this.#segmentOf = resized(this.#segmentOf, terms);
      this.#frequencies = resized(this.#frequencies, terms);
    }
    const least = this.#docDistinct + more;
    if (least > this.#docTerms.length) {
      this.#docTerms = resized(this.#docTerms, least);
      this.#counts = resized(this.#counts, this.#docTerms.length * 3);
    }
  }

  /** Ends a document: adds its field-weighted occurrences and saturates the sum once (BM25F). */
  endDocument(): void {
    const distinct = this.#docDistinct;
    if (this.#used + distinct > this.#terms.length) {
      this.#terms = resized(this.#terms, this.#used + distinct);
      this.#parts = resized(this.#parts, this.#used + distinct);
    }
    const [identifiers, title, body] = FIELDS;
    const perIdentifier = perOccurrence(identifiers, this.#lengths[0] ?? 0);
    const perTitle = perOccurrence(title, this.#lengths[1] ?? 0);
    const perBody = perOccurrence(body, this.#lengths[2] ?? 0);
    for (let slot = 0, at = 0; slot < distinct; slot++, at += 3) {
      const weighted =
        (this.#counts[at] ?? 0) * perIdentifier +
        (this.#counts[at + 1] ?? 0) * perTitle +
        (this.#counts[at + 2] ?? 0) * perBody;
      this.#terms[this.#used] = this.#docTerms[slot] ?? 0;
      this.#parts[this.#used++] = partOf(weighted);
    }
    this.#countDocument();
    if (this.#docs === this.#docEnds.length) this.#docEnds = resized(this.#docEnds, this.#docs + 1);
    this.#docEnds[this.#docs++] = this.#used;
    this.#beginDocument();
  }

  #countDocument(): void {
    const segment = this.#segment;
    for (let slot = 0; slot < this.#docDistinct; slot++) {
      const id = this.#docTerms[slot] ?? 0;
      if (this.#segmentOf[id] === segment) this.#frequencies[id] = (this.#frequencies[id] ?? 0) + 1;
      else {
        this.#segmentOf[id] = segment;
        this.#frequencies[id] = 1;
        if (this.#distinctCount === this.#distinct.length)
          this.#distinct = resized(this.#distinct, this.#distinctCount + 1);
        this.#distinct[this.#distinctCount++] = id;
      }
    }
  }

  /** Reorders postings from documents to terms; documents of a term stay ordered. */
  finish(): Finished {
    const ids = this.#distinct.slice(0, this.#distinctCount);
    this.#vocabulary.terms.sort(ids);
    const postingOffsets = new Uint32Array(ids.length + 1);
    // From here on the frequency of a term is the position of its next posting.
    const next = this.#frequencies;
    for (let rank = 0; rank < ids.length; rank++) {
      const id = ids[rank] ?? 0;
      const start = postingOffsets[rank] ?? 0;
      postingOffsets[rank + 1] = start + (next[id] ?? 0);
      next[id] = start;
    }
    const { offsets: termOffsets, bytes: termBytes, hashes: termHashes } = this.#vocabulary.terms.gather(ids);
    return { termOffsets, termBytes, termHashes, postingOffsets, ...this.#inOrder(next) };
  }

  #inOrder(next: Uint32Array): Pick<Finished, 'postingDocs' | 'postingParts'> {
    const postingDocs = new Uint32Array(this.#used);
    const postingParts = new Uint16Array(this.#used);
    for (let doc = 0, i = 0; doc < this.#docs; doc++) {
      const end = this.#docEnds[doc] ?? 0;
      for (; i < end; i++) {
        const id = this.#terms[i] ?? 0;
        const at = next[id] ?? 0;
        next[id] = at + 1;
        postingDocs[at] = doc;
        postingParts[at] = this.#parts[i] ?? 0;
      }
    }
    return { postingDocs, postingParts };
  }
}
