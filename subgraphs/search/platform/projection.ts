import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Cursor, cursorOf, type Event, isAfter, listWhole } from '@landfall/kernel/events/read';
import { failpoint } from '@landfall/kernel/failpoint';
import type { TenantId } from '@landfall/kernel/ids';
import type { Deps, Worker } from '@landfall/kernel/module';
import type { Corpus } from '../corpus/corpus.ts';
import { listDocumentKeys } from '../corpus/document-keys.store.ts';
import { PLATFORM } from './document.ts';
import { documentsOf } from './documents.ts';
import { isKind } from './facts.ts';
import { fold, isTold, relationsOf, subjectsOf } from './fold.ts';
import { follow } from './follow.ts';
import * as store from './subjects.store.ts';
import { createWorld, type Subject, type World } from './world.ts';

/** Makes documents of what happens on the platform. */
export interface Projection extends Worker {
  /**
   * Takes the next events, of every tenant, in their order: what is known, the documents and how far it came are one
   * transaction. Of several processes one has the turn.
   * @returns how many events it took; as many as a batch holds when there may be more; 0 where another has the turn
   */
  advance(): Promise<number>;
  /**
   * Reads all of a tenant's events from the first on and brings its documents to what they say; what nothing speaks of
   * vanishes. The same again changes nothing.
   * @returns how many documents there are
   */
  rebuild(tenant: TenantId): Promise<number>;
}

/** Events of one transaction at most. */
const BATCH = 500;
/** Rows of one statement at most. */
const ROWS = 400;
/** From a deployment to its environment, its targets, their agents and what runs there. */
const DEPTH = 4;

const BEGINNING: Cursor = { xid: 0n, id: 0n };

const pagesOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / ROWS) }, (_, page) => items.slice(page * ROWS, (page + 1) * ROWS));

/** Puts what is kept of things into a world, and of what they speak of, as deep as any document tells. */
const load = async (query: Query, tenant: TenantId, world: World, subjects: readonly Subject[]): Promise<void> => {
  let frontier = subjects;
  for (let depth = 0; depth <= DEPTH && frontier.length > 0; depth++) {
    const unknown = new Map(
      frontier
        .filter((subject) => !world.isKnown(subject))
        .map((subject) => [`${subject.kind}/${subject.id}`, subject]),
    );
    for (const page of pagesOf([...unknown.values()])) {
      const rows = await store.list(query, tenant, page);
      const kept = new Map(rows.map((row) => [`${row.entity}/${row.entityId}`, row.facts]));
      for (const subject of page) world.note(subject, kept.get(`${subject.kind}/${subject.id}`));
    }
    frontier = (depth === 0 ? frontier : [...unknown.values()]).flatMap((subject) => relationsOf(world, subject));
  }
};

/** Has whatever speaks of something by its former name told anew. */
const touchNamed = async (query: Query, tenant: TenantId, world: World): Promise<void> => {
  const renamed = world.renamed();
  if (renamed.length === 0) return;
  for (const { entity, entityId: id, facts } of await store.listAt(query, tenant, renamed)) {
    if (!isKind(entity)) continue;
    const subject = { kind: entity, id };
    if (!world.isKnown(subject)) world.note(subject, facts);
    world.touch(entity, id);
  }
};

const factsOf = (world: World, subjects: readonly Subject[]) => {
  const kept = subjects.map((subject) => ({
    ...subject,
    facts: world.find(subject.kind, subject.id),
    version: store.VERSION,
  }));
  return {
    there: kept.filter(({ facts }) => facts !== undefined),
    gone: kept.filter(({ facts }) => facts === undefined),
  };
};

export const createProjection = (deps: Pick<Deps, 'database' | 'hints' | 'log'>, corpus: Corpus): Projection => {
  const { database, hints } = deps;

  const keep = async (tx: Tx, tenant: TenantId, world: World): Promise<void> => {
    const { there, gone } = factsOf(world, world.changed());
    for (const page of pagesOf(there)) await store.upsert(tx, tenant, page);
    for (const page of pagesOf(gone)) await store.remove(tx, tenant, page);
  };

  const write = async (tx: Tx, tenant: TenantId, world: World, subjects: readonly Subject[]): Promise<string[]> => {
    const { chunks, gone } = documentsOf(world, subjects);
    for (const page of pagesOf(chunks)) await corpus.putIn(tx, tenant, page);
    for (const page of pagesOf(gone)) await corpus.removeIn(tx, tenant, PLATFORM, page);
    return chunks.map(({ documentKey }) => documentKey);
  };

  /** One tenant's part of a batch. */
  const take = async (tx: Tx, tenant: TenantId, events: readonly Event[]): Promise<void> => {
    const told = events.filter(isTold);
    if (told.length === 0) return;
    const world = createWorld();
    await load(tx, tenant, world, told.flatMap(subjectsOf));
    for (const event of told) fold(world, event);
    await touchNamed(tx, tenant, world);
    const touched = world.touched();
    await load(tx, tenant, world, touched);
    await keep(tx, tenant, world);
    await write(tx, tenant, world, touched);
  };

  const advance = async (): Promise<number> => {
    const taken = await database.system.write(async (tx) => {
      const cursor = await store.lockIdleCursor(tx);
      if (!cursor) return undefined;
      const events = await listWhole(tx, cursor, BATCH);
      const last = events.at(-1);
      if (!last) return 0;
      for (const [tenant, own] of Map.groupBy(events, (event) => event.tenant)) await take(tx, tenant, own);
      await store.setCursor(tx, cursorOf(last));
      await failpoint('search.projection.advancing');
      return events.length;
    });
    if (taken === undefined) await database.system.write(store.ensureCursor);
    if (taken !== undefined && taken > 0) hints.tell();
    return taken ?? 0;
  };

  /** Folds a tenant's events after one place up to and with another. */
  const replay = async (query: Query, tenant: TenantId, world: World, from: Cursor, to: Cursor): Promise<void> => {
    for (let cursor = from; ; ) {
      const events = await listWhole(query, cursor, BATCH, tenant);
      for (const event of events) if (!isAfter(cursorOf(event), to)) fold(world, event);
      const last = events.at(-1);
      if (!last || events.length < BATCH || !isAfter(to, cursorOf(last))) return;
      cursor = cursorOf(last);
    }
  };

  const rebuild = async (tenant: TenantId): Promise<number> => {
    await database.system.write(store.ensureCursor);
    const world = createWorld();
    // The long part holds no lock and no transaction, so that nobody who follows events waits for it.
    const reached = (await database.system.read(store.findCursor)) ?? BEGINNING;
    await database.system.read((query) => replay(query, tenant, world, BEGINNING, reached));
    const documents = await database.system.write(async (tx) => {
      const now = (await store.lockCursor(tx)) ?? reached;
      await replay(tx, tenant, world, reached, now);
      await store.removeAll(tx, tenant);
      await keep(tx, tenant, world);
      const there = new Set(await write(tx, tenant, world, world.all()));
      const known = await listDocumentKeys(tx, tenant, PLATFORM);
      for (const page of pagesOf(known.filter((key) => !there.has(key))))
        await corpus.removeIn(tx, tenant, PLATFORM, page);
      return there.size;
    });
    hints.tell();
    return documents;
  };

  return {
    name: 'search.projection',
    advance,
    rebuild,
    start: () => follow(deps, 'search.projection', async () => (await advance()) === BATCH),
  };
};
