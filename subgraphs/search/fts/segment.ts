import { fingerprint } from './bm25f.ts';
import { isRecord } from './records.ts';

/** Immutable index of one tenant and domain: columns in one shared buffer, terms sorted by bytes for prefix ranges. */
export interface Segment {
  readonly buffer: SharedArrayBuffer;
  readonly tenant: string;
  readonly domain: string;
  /** Ecosystem names; the column `ecosystem` has their index plus one. */
  readonly ecosystems: readonly string[];
  readonly columns: Columns;
}

/** Bytes an element. The order is the order in the buffer. */
const WIDTHS = {
  // Dictionary: where each term's bytes begin, the bytes, and a hash table of numbers plus one.
  termOffsets: 4,
  termBytes: 1,
  termPlaces: 4,
  // Postings, a run a term: documents ascending, and the term's part of a score in each (weights.ts).
  postingOffsets: 4,
  postingDocs: 4,
  postingParts: 2,
  termMaxima: 2,
  // Blocks of frequent terms: ids of blocks with the term, their positions in the postings, the greatest part in each.
  blockOffsets: 4,
  blockIds: 4,
  blockStarts: 4,
  blockMaxima: 2,
  // typo-tolerance.ts
  neighbourOffsets: 4,
  neighbourTerms: 4,
  // Documents: chunk numbers and, chained by hash, which document has which; the same by entity.
  numbers: 8,
  numberHeads: 4,
  numberNext: 4,
  entityHigh: 4,
  entityLow: 4,
  entityHeads: 4,
  entityNext: 4,
  // Each document's entity key, as UTF-8.
  entityOffsets: 4,
  entityBytes: 1,
  severities: 1,
  entityTypes: 1,
  ecosystems: 2,
} as const;

type Arrays = { 1: Uint8Array; 2: Uint16Array; 4: Uint32Array; 8: Float64Array };

export type Columns = { readonly [Name in keyof typeof WIDTHS]: Arrays[(typeof WIDTHS)[Name]] };

const isColumn = (name: string): name is keyof typeof WIDTHS => Object.hasOwn(WIDTHS, name);
const NAMES = Object.keys(WIDTHS).filter(isColumn);

const MAGIC = 0x4c46_5331;
const VERSION = 1;
/** Magic, version, fingerprint, length of the description; then position (in eight bytes) and length of each column. */
const HEADER_WORDS = 4 + NAMES.length * 2;
const HEADER_BYTES = Math.ceil((HEADER_WORDS * 4) / 8) * 8;

const eights = (bytes: number): number => Math.ceil(bytes / 8);

export const packSegment = (
  about: { readonly tenant: string; readonly domain: string; readonly ecosystems: readonly string[] },
  columns: Columns,
): Segment => {
  const description = new TextEncoder().encode(JSON.stringify(about));
  let next = eights(HEADER_BYTES) + eights(description.length);
  const slots = NAMES.map((name) => {
    const at = next;
    next += eights(columns[name].byteLength);
    return at;
  });
  const buffer = new SharedArrayBuffer(next * 8);
  const header = new Uint32Array(buffer, 0, HEADER_WORDS);
  header.set([MAGIC, VERSION, fingerprint(), description.length]);
  new Uint8Array(buffer).set(description, HEADER_BYTES);
  NAMES.forEach((name, i) => {
    const column = columns[name];
    const at = slots[i] ?? 0;
    header[4 + i * 2] = at;
    header[5 + i * 2] = column.length;
    new Uint8Array(buffer, at * 8, column.byteLength).set(
      new Uint8Array(column.buffer, column.byteOffset, column.byteLength),
    );
  });
  return openSegment(buffer);
};

class SegmentFault extends Error {
  override readonly name = 'SegmentFault';
}

/** Maps the columns of a buffer, whose contents are not checked. Throws SegmentFault if its header does not fit. */
export const openSegment = (buffer: SharedArrayBuffer): Segment => {
  if (buffer.byteLength < HEADER_BYTES) throw new SegmentFault('It is too short.');
  const header = new Uint32Array(buffer, 0, HEADER_WORDS);
  if (header[0] !== MAGIC) throw new SegmentFault('It is no segment.');
  if (header[1] !== VERSION) throw new SegmentFault(`Its layout is version ${header[1]}, not ${VERSION}.`);
  if (header[2] !== fingerprint()) throw new SegmentFault('It was made with other weights or another analysis.');
  const about = descriptionOf(buffer, header[3] ?? 0);
  const offset = (name: keyof typeof WIDTHS): [SharedArrayBuffer, number, number] => {
    const i = NAMES.indexOf(name);
    const [at, length] = [(header[4 + i * 2] ?? 0) * 8, header[5 + i * 2] ?? 0];
    if (at < HEADER_BYTES || at + length * WIDTHS[name] > buffer.byteLength)
      throw new SegmentFault(`Its column ${name} lies outside of it.`);
    return [buffer, at, length];
  };
  const columns: Columns = {
    termOffsets: new Uint32Array(...offset('termOffsets')),
    termBytes: new Uint8Array(...offset('termBytes')),
    termPlaces: new Uint32Array(...offset('termPlaces')),
    postingOffsets: new Uint32Array(...offset('postingOffsets')),
    postingDocs: new Uint32Array(...offset('postingDocs')),
    postingParts: new Uint16Array(...offset('postingParts')),
    termMaxima: new Uint16Array(...offset('termMaxima')),
    blockOffsets: new Uint32Array(...offset('blockOffsets')),
    blockIds: new Uint32Array(...offset('blockIds')),
    blockStarts: new Uint32Array(...offset('blockStarts')),
    blockMaxima: new Uint16Array(...offset('blockMaxima')),
    neighbourOffsets: new Uint32Array(...offset('neighbourOffsets')),
    neighbourTerms: new Uint32Array(...offset('neighbourTerms')),
    numbers: new Float64Array(...offset('numbers')),
    numberHeads: new Uint32Array(...offset('numberHeads')),
    numberNext: new Uint32Array(...offset('numberNext')),
    entityHigh: new Uint32Array(...offset('entityHigh')),
    entityLow: new Uint32Array(...offset('entityLow')),
    entityHeads: new Uint32Array(...offset('entityHeads')),
    entityNext: new Uint32Array(...offset('entityNext')),
    entityOffsets: new Uint32Array(...offset('entityOffsets')),
    entityBytes: new Uint8Array(...offset('entityBytes')),
    severities: new Uint8Array(...offset('severities')),
    entityTypes: new Uint8Array(...offset('entityTypes')),
    ecosystems: new Uint16Array(...offset('ecosystems')),
  };
  return { buffer, ...about, columns };
};

const descriptionOf = (
  buffer: SharedArrayBuffer,
  length: number,
): { tenant: string; domain: string; ecosystems: string[] } => {
  if (HEADER_BYTES + length > buffer.byteLength) throw new SegmentFault('Its description lies outside of it.');
  const about: unknown = JSON.parse(Buffer.from(buffer, HEADER_BYTES, length).toString());
  if (!isRecord(about)) throw new SegmentFault('Its description is none.');
  const { tenant, domain, ecosystems } = about;
  if (typeof tenant !== 'string' || typeof domain !== 'string' || !Array.isArray(ecosystems))
    throw new SegmentFault('Its description is none.');
  return { tenant, domain, ecosystems: ecosystems.map(String) };
};

/** Number of documents, removed ones included. */
export const documentsOf = ({ columns }: Segment): number => columns.numbers.length;
