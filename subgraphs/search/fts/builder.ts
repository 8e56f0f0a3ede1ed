import { ENTITY_TYPES, SEVERITIES } from '../shared/domains.ts';
import { assemble, type SegmentParts } from './assemble.ts';
import { entityHash } from './entity-hash.ts';
import type { IndexedChunk } from './lane.ts';
import { Postings } from './postings.ts';
import type { Segment } from './segment.ts';
import { Vocabulary } from './vocabulary.ts';

/** Shared by builders of this thread: consecutive batches have mostly the same words. */
const vocabulary = new Vocabulary();
const postings = new Postings(vocabulary);

/** Builds a segment from chunks of one tenant and domain, each number once. */
export class SegmentBuilder {
  readonly #chunks: IndexedChunk[] = [];

  add(chunk: IndexedChunk): void {
    this.#chunks.push(chunk);
  }

  /** Returns the segment and empties the builder; analyses texts synchronously, since builders share a vocabulary. */
  finish(): Segment {
    postings.begin();
    for (const chunk of this.#chunks) read(chunk);
    const first = this.#chunks[0];
    return assemble({
      tenant: first?.tenant ?? '',
      domain: first?.domain ?? '',
      ...postings.finish(),
      ...documentsOf(this.#chunks),
    });
  }
}

const read = ({ identifiers, packages, title, body }: IndexedChunk): void => {
  for (const name of identifiers) postings.count(vocabulary.name(name), 0);
  for (const name of packages) postings.count(vocabulary.name(name), 0);
  postings.count(vocabulary.text(title, false), 1);
  postings.count(vocabulary.text(body, true), 2);
  postings.endDocument();
};

type Documents = Omit<SegmentParts, 'tenant' | 'domain' | keyof ReturnType<Postings['finish']>>;

const documentsOf = (chunks: readonly IndexedChunk[]): Documents => {
  const count = chunks.length;
  const ecosystemNames = [...new Set(chunks.flatMap(({ ecosystem }) => ecosystem ?? []))];
  const ecosystemNumbers = new Map(ecosystemNames.map((name, i) => [name, i + 1]));
  const columns = {
    numbers: new Float64Array(count),
    entityHigh: new Uint32Array(count),
    entityLow: new Uint32Array(count),
    severities: new Uint8Array(count),
    entityTypes: new Uint8Array(count),
    ecosystems: new Uint16Array(count),
  };
  chunks.forEach(({ number, entityKey, severity, entityType, ecosystem }, doc) => {
    const [high, low] = entityHash(entityKey);
    columns.numbers[doc] = number;
    columns.entityHigh[doc] = high;
    columns.entityLow[doc] = low;
    columns.severities[doc] = severity ? SEVERITIES.indexOf(severity) + 1 : 0;
    columns.entityTypes[doc] = ENTITY_TYPES.indexOf(entityType) + 1;
    columns.ecosystems[doc] = ecosystemNumbers.get(ecosystem ?? '') ?? 0;
  });
  return { ecosystemNames, ...columns, ...keysOf(chunks) };
};

const keysOf = (chunks: readonly IndexedChunk[]): { entityOffsets: Uint32Array; entityBytes: Uint8Array } => {
  const entityBytes = Buffer.from(chunks.map(({ entityKey }) => entityKey).join(''));
  const entityOffsets = new Uint32Array(chunks.length + 1);
  chunks.forEach(({ entityKey }, doc) => {
    entityOffsets[doc + 1] = (entityOffsets[doc] ?? 0) + Buffer.byteLength(entityKey);
  });
  return { entityOffsets, entityBytes };
};
