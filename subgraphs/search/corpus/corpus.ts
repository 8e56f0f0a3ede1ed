import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { type CardChunk, CHUNK, type Chunk, chunkIdOf, type Owner, SHARED, type StoredChunk } from './chunk.ts';
import { splitChunk } from './chunking.ts';
import * as store from './chunks.store.ts';
import * as keys from './document-keys.store.ts';
import { fitChunk, fitKey } from './size-limits.ts';
import * as files from './statement-files.store.ts';

export type { CorpusTotal } from './chunks.store.ts';

export interface PutCounts {
  /** Documents with a chunk that is new or changed. */
  readonly documents: number;
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
}

/** Chunks of one statement at most, unless one document has more. */
const BATCH = 400;
/** Documents that are looked up without asking whether that is worth it. */
const SMALL_BATCH = 20;
/** Chunks that one transaction of a sweep removes at most. */
const SWEEP = 5_000;
const FILES = 500;
const NO_LIMIT = 100_000_000;

const NO_COUNTS: PutCounts = { documents: 0, added: 0, changed: 0, unchanged: 0, removed: 0 };

const plus = (one: PutCounts, other: PutCounts): PutCounts => ({
  documents: one.documents + other.documents,
  added: one.added + other.added,
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
});

/** PostgreSQL takes no NUL, and no half of a surrogate pair in JSON. */
const clean = (text: string): string => text.replaceAll('\0', ' ').toWellFormed();

const cleanDeep = (value: unknown): unknown => {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleanDeep);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [clean(key), cleanDeep(member)]));
};

const cleanAttributes = (attributes: Chunk['attributes']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(attributes ?? {}).map(([key, value]) => [clean(key), cleanDeep(value)]));

const toRow = (input: Chunk): store.ChunkInput => {
  const chunk = fitChunk(input);
  const { severity, ecosystem, ref, uri, occurredAt } = chunk;
  const cleaned = {
    domain: chunk.domain,
    source: clean(chunk.source),
    documentKey: clean(chunk.documentKey),
    file: chunk.file,
    part: chunk.part,
    entityType: chunk.entityType,
    entityKey: clean(chunk.entityKey),
    title: clean(chunk.title),
    body: clean(chunk.body),
    identifiers: chunk.identifiers.map(clean),
    packages: chunk.packages.map(clean),
    severity,
    ecosystem: ecosystem && clean(ecosystem),
    ref: ref && { type: clean(ref.type), id: clean(ref.id) },
    uri: uri && clean(uri),
    occurredAt: occurredAt && !Number.isNaN(occurredAt.getTime()) ? occurredAt : undefined,
    attributes: cleanAttributes(chunk.attributes),
  };
  return { ...cleaned, contentHash: sha256Hex(JSON.stringify(cleaned)) };
};

/** Chunks as they are written: too long ones cut, each once, the last one given; in one order, so that writers do not cross. */
const rowsOf = (chunks: readonly Chunk[]): store.ChunkInput[] => {
  const byId = new Map(chunks.flatMap(splitChunk).map((chunk) => [chunkIdOf(chunk), toRow(chunk)]));
  return [...byId].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, chunk]) => chunk);
};

const extentsOf = (rows: readonly store.ChunkInput[]): store.DocumentExtent[] => {
  const extents = new Map<string, store.DocumentExtent>();
  for (const { source, documentKey, part } of rows) {
    const key = `${source}\0${documentKey}`;
    const parts = Math.max(extents.get(key)?.parts ?? 0, part + 1);
    extents.set(key, { source, documentKey, parts });
  }
  return [...extents.values()];
};

/** Batches of about BATCH chunks, no document in two of them. */
const batchesOf = (chunks: readonly Chunk[]): Chunk[][] => {
  const byDocument = Map.groupBy(chunks, ({ source, documentKey }) => `${source}\0${documentKey}`);
  const batches: Chunk[][] = [];
  let last: Chunk[] = [];
  for (const [, document] of [...byDocument].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (last.length === 0 || last.length + document.length > BATCH) {
      last = [];
      batches.push(last);
    }
    last.push(...document);
  }
  return batches;
};

const documentOf = ({ source, documentKey }: Pick<Chunk, 'source' | 'documentKey'>): string =>
  `${source}\0${documentKey}`;

const partsByDocument = (documents: readonly store.DocumentExtent[]): ReadonlyMap<string, number> =>
  new Map(documents.map((document) => [documentOf(document), document.parts]));

/** Splits a batch into rows that differ from the stored ones and rows to mark as seen. */
const compare = (rows: readonly store.ChunkInput[], storedChunks: readonly store.StoredRow[]) => {
  const existing = new Map(storedChunks.map((chunk) => [chunkIdOf(chunk), chunk]));
  const found = rows.map((row) => ({ row, was: existing.get(chunkIdOf(row)) }));
  const isSame = ({ row, was: previous }: (typeof found)[number]): boolean =>
    previous !== undefined && !previous.isRemoved && previous.contentHash === row.contentHash;
  return {
    different: found.filter((one) => !isSame(one)).map(({ row }) => row),
    unseen: found
      .filter(isSame)
      .flatMap(({ was: previous }) => (previous && !previous.isSeen ? [previous.chunkId] : [])),
  };
};

/** Marks rows that were assumed new but existed unchanged. */
const seeUntouched = async (tx: Tx, owner: Owner, documents: readonly store.DocumentExtent[], runId: string) => {
  const storedChunks = await store.listStored(tx, owner, documents, runId);
  const parts = partsByDocument(documents);
  const notSeen = storedChunks.filter(
    (one) => !one.isSeen && !one.isRemoved && one.part < (parts.get(documentOf(one)) ?? 0),
  );
  const numbers = notSeen.map(({ chunkId }) => chunkId);
  await store.markSeen(tx, owner, numbers, runId);
};

const hasMore = (storedChunks: readonly store.StoredRow[], documents: readonly store.DocumentExtent[]): boolean => {
  const parts = partsByDocument(documents);
  return storedChunks.some((one) => !one.isRemoved && one.part >= (parts.get(documentOf(one)) ?? 0));
};

/** Stored rows of a batch; none if a sample of its documents is new, since the upsert also detects existing rows. */
const listStoredOfBatch = async (
  tx: Tx,
  owner: Owner,
  documents: readonly store.DocumentExtent[],
  runId: string | undefined,
): Promise<readonly store.StoredRow[]> => {
  const sample = [0, 0.5, 1].flatMap((share) => documents[Math.floor((documents.length - 1) * share)] ?? []);
  if (documents.length > SMALL_BATCH && (await store.listStored(tx, owner, sample, runId)).length === 0) return [];
  return store.listStored(tx, owner, documents, runId);
};

const putBatch = async (
  tx: Tx,
  owner: Owner,
  chunks: readonly Chunk[],
  runId: string | undefined,
): Promise<PutCounts> => {
  const rows = rowsOf(chunks);
  if (rows.length === 0) return NO_COUNTS;
  const documents = extentsOf(rows);
  await store.forceCustomPlans(tx);
  const storedChunks = await listStoredOfBatch(tx, owner, documents, runId);
  const { different, unseen: notSeen } = compare(rows, storedChunks);
  const {
    added,
    changed,
    documents: touched,
  } = different.length === 0 ? { added: 0, changed: 0, documents: 0 } : await store.upsert(tx, owner, different, runId);
  if (runId !== undefined && notSeen.length > 0) await store.markSeen(tx, owner, notSeen, runId);
  if (runId !== undefined && added + changed < different.length) await seeUntouched(tx, owner, documents, runId);
  // Another writer may have stored a document meanwhile that was not new here, with more parts.
  const mayHaveMore = added < different.length || hasMore(storedChunks, documents);
  const removed = mayHaveMore ? await store.removeParts(tx, owner, documents) : 0;
  return { documents: touched, added, changed, unchanged: rows.length - added - changed, removed };
};

const allOf = (source: string, documentKeys: readonly string[]): store.DocumentExtent[] =>
  documentKeys.map((documentKey) => ({ source, documentKey: clean(fitKey(documentKey)), parts: 0 }));

interface CorpusDeps extends Pick<Deps, 'database'> {
  /** Without hints an index learns of changes by polling. */
  readonly hints?: Pick<Deps['hints'], 'publish'> | undefined;
}

/** Record of all searchable documents. The index follows its changes. */
export const createCorpus = ({ database, hints }: CorpusDeps) => {
  const write = <T>(owner: Owner, work: (tx: Tx) => Promise<T>): Promise<T> =>
    owner === SHARED ? database.system.write(work) : database.write(owner, work);
  const read = <T>(tenant: TenantId, work: (query: Query) => Promise<T>): Promise<T> => database.read(tenant, work);

  /**
   * Writes documents, in transactions of its own of some hundred chunks. A document is given whole: parts that it had and
   * that are not given are removed; one chunk that is too long becomes several.
   * @param runId notes that this run saw the documents, for `sweep`
   */
  const put = async (owner: Owner, chunks: readonly Chunk[], runId?: string): Promise<PutCounts> => {
    let total = NO_COUNTS;
    for (const batch of batchesOf(chunks)) {
      const counts = await write(owner, (tx) => putBatch(tx, owner, batch, runId));
      total = plus(total, counts);
      if (counts.added + counts.changed + counts.removed > 0) hints?.publish([CHUNK]);
    }
    return total;
  };

  /** Removes as much as one transaction may, until nothing is left. */
  const removeAll = async (owner: Owner, remove: (tx: Tx) => Promise<number>): Promise<number> => {
    let total = 0;
    for (;;) {
      const removed = await write(owner, remove);
      total += removed;
      if (removed > 0) hints?.publish([CHUNK]);
      if (removed < SWEEP) return total;
    }
  };

  return {
    put,
    /** Writes chunks inside the caller's transaction. Shared documents need the system role. */
    async putIn(tx: Tx, owner: Owner, chunks: readonly Chunk[], runId?: string): Promise<PutCounts> {
      let total = NO_COUNTS;
      for (const batch of batchesOf(chunks)) total = plus(total, await putBatch(tx, owner, batch, runId));
      return total;
    },
    /** Deletes documents with all their chunks; returns the number of deleted chunks. */
    async remove(owner: Owner, source: string, documentKeys: readonly string[]): Promise<number> {
      const removed = await write(owner, (tx) => store.removeParts(tx, owner, allOf(source, documentKeys)));
      if (removed > 0) hints?.publish([CHUNK]);
      return removed;
    },
    removeIn: (tx: Tx, owner: Owner, source: string, documentKeys: readonly string[]) =>
      store.removeParts(tx, owner, allOf(source, documentKeys)),
    /** Deletes the chunks of a source that a run did not see. */
    sweep: (owner: Owner, source: string, runId: string) =>
      removeAll(owner, (tx) => store.removeUnseen(tx, owner, source, runId, SWEEP)),
    sweepIn: (tx: Tx, owner: Owner, source: string, runId: string) =>
      store.removeUnseen(tx, owner, source, runId, NO_LIMIT),
    /** Removes statements that a run no longer found in the files it read. */
    async removeMissing(owner: Owner, read: files.ReadFiles, runId: string): Promise<number> {
      let total = 0;
      for (let index = 0; index < read.files.length; index += FILES) {
        const some = { ...read, files: read.files.slice(index, index + FILES) };
        total += await removeAll(owner, (tx) => files.removeMissing(tx, owner, some, runId, SWEEP));
      }
      return total;
    },
    /** Removes statements without a file that a file has restated identically. */
    removeDuplicateStatements: (owner: Owner, sources: readonly string[]) =>
      removeAll(owner, (tx) => files.removeDuplicateStatements(tx, owner, sources, SWEEP)),
    removeRestatedIn: (tx: Tx, owner: Owner, sources: readonly string[]) =>
      files.removeDuplicateStatements(tx, owner, sources, NO_LIMIT),
    /** Loads the tenant's and shared chunks by index number; unknown numbers are omitted. */
    async load(tenant: TenantId, numbers: readonly number[]): Promise<Map<number, StoredChunk>> {
      if (numbers.length === 0) return new Map();
      const chunks = await read(tenant, (query) => store.listByNumbers(query, tenant, numbers));
      return new Map(chunks.map((chunk) => [chunk.number, chunk]));
    },
    async loadCards(tenant: TenantId, numbers: readonly number[]): Promise<Map<number, CardChunk>> {
      if (numbers.length === 0) return new Map();
      const chunks = await read(tenant, (query) => store.listCardsByNumbers(query, tenant, numbers));
      return new Map(chunks.map((chunk) => [chunk.number, chunk]));
    },
    summary: (tenant: TenantId) => read(tenant, (query) => store.summarise(query, tenant)),
    summaryIn: store.summarise,
    totalsIn: store.total,
    documentKeys: (owner: Owner, source: string) =>
      database.system.read((query) => keys.listDocumentKeys(query, owner, source)),
    knownKeys: (tenant: TenantId, source: string, documentKeys: readonly string[]) =>
      read(tenant, (query) => keys.listKnown(query, tenant, source, documentKeys)),
  };
};

export type Corpus = ReturnType<typeof createCorpus>;
