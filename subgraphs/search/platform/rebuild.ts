import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Cursor, cursorOf, type Event, isAfter, listUpTo } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { CHUNK } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import { batchesOf } from './batches.ts';
import { applyBisecting } from './bisection.ts';
import { PLATFORM } from './document-format.ts';
import { createEntityIndex, keyOf, type Subject } from './entity-index.ts';
import { isKind } from './facts.ts';
import { fold } from './fold.ts';
import { referrersOf } from './references.ts';
import * as store from './subjects.store.ts';
import { writeDocuments, writeFacts } from './writes.ts';

type RebuildDeps = Pick<Deps, 'database' | 'hints' | 'log'>;

/** Events of one statement at most. */
const BATCH = 500;
/** Subjects of a transaction; small, so that the projection waits briefly. */
const PAGE = 400;

const START: Cursor = { xid: 0n, id: 0n };

/** Subjects to write, page by page; a page stays queued until it is committed. */
const createQueue = () => {
  const waiting = new Map<string, Subject>();
  return {
    add(subjects: readonly Subject[]): void {
      for (const subject of subjects) waiting.set(keyOf(subject), subject);
    },
    next: (): Subject[] => [...waiting.values().take(PAGE)],
    done(subjects: readonly Subject[]): void {
      for (const subject of subjects) waiting.delete(keyOf(subject));
    },
    get size(): number {
      return waiting.size;
    },
  };
};

/** Replays all events of a tenant and remembers the position reached. */
const createReplay = ({ database, log }: RebuildDeps, tenant: TenantId) => {
  const entities = createEntityIndex();
  const [facts, documents] = [createQueue(), createQueue()];
  let reached = START;

  const foldEvent = (event: Event): void => {
    try {
      fold(entities, event);
    } catch (error) {
      log.error({ err: error, tenant, type: event.type, entityId: event.entityId }, 'search.rebuild.steppedOver');
    }
  };

  /** Folds events up to a cursor. */
  const replay = async (query: Query, to: Cursor): Promise<void> => {
    while (isAfter(to, reached)) {
      const events = await listUpTo(query, tenant, { from: reached, to, limit: BATCH });
      for (const event of events) foldEvent(event);
      const last = events.at(-1);
      reached = last && events.length === BATCH ? cursorOf(last) : to;
    }
  };

  return {
    entities,
    facts,
    documents,
    /** Replays without a lock or transaction, so that the projection continues. */
    async begin(): Promise<void> {
      const to = (await database.system.read(store.findCursor)) ?? START;
      await database.system.read((query) => replay(query, to));
      entities.clearMarks();
      facts.add(entities.all());
      documents.add(entities.all());
    },
    /** Runs a short transaction with the projection locked, after applying the events since; marks touched entities. */
    inTurn: <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      database.system.write(async (tx) => {
        await replay(tx, (await store.lockCursor(tx)) ?? reached);
        facts.add(entities.changed());
        documents.add([...entities.touched(), ...referrersOf(entities, entities.renamed())]);
        entities.clearMarks();
        return work(tx);
      }),
  };
};

type Replay = ReturnType<typeof createReplay>;

/** Writes queued facts, then documents. @returns when the queue is empty, including later events */
const createProjectionWriter = ({ hints, log }: RebuildDeps, tenant: TenantId, corpus: Corpus, replay: Replay) => {
  const { entities, facts, documents, inTurn } = replay;
  const written = new Set<string>();

  const leave = (subject: Subject, error: unknown): void =>
    log.error({ err: error, tenant, ...subject }, 'search.rebuild.steppedOver');

  const publish = async (tx: Tx, subjects: readonly Subject[]): Promise<void> => {
    const { chunks, gone: removed } = await writeDocuments(tx, tenant, corpus, entities, subjects);
    for (const { documentKey } of chunks) written.add(documentKey);
    for (const key of removed) written.delete(key);
  };

  const writePage = async (): Promise<boolean> => {
    const { queue, page } = await inTurn(async (tx) => {
      const queue = facts.size > 0 ? facts : documents;
      const page = queue.next();
      const write = (some: readonly Subject[]): Promise<void> =>
        queue === facts ? writeFacts(tx, tenant, entities, some) : publish(tx, some);
      await applyBisecting(tx, page, write, leave);
      await failpoint('search.rebuild.writing');
      return { queue, page };
    });
    queue.done(page);
    hints.publish([CHUNK]);
    return page.length > 0;
  };

  return {
    written,
    async all(): Promise<void> {
      while (await writePage());
    },
  };
};

/** Deletes the facts of entities that no event mentions. */
const removeStale = async (
  { database }: RebuildDeps,
  tenant: TenantId,
  corpus: Corpus,
  { entities, inTurn }: Replay,
  written: ReadonlySet<string>,
): Promise<void> => {
  const isStale = ({ kind, id }: store.SubjectName): boolean => !isKind(kind) || entities.find(kind, id) === undefined;
  const names = await database.system.read((query) => store.listNames(query, tenant));
  const subjects = names.map(({ entity, entityId }) => ({ kind: entity, id: entityId })).filter(isStale);
  for (const page of batchesOf(subjects)) await inTurn((tx) => store.remove(tx, tenant, page.filter(isStale)));

  const isUnwritten = (key: string): boolean => !written.has(key);
  const keys = await corpus.documentKeys(tenant, PLATFORM);
  for (const page of batchesOf(keys.filter(isUnwritten)))
    await inTurn((tx) => corpus.removeIn(tx, tenant, PLATFORM, page.filter(isUnwritten)));
};

/** Rebuilds a tenant's documents from all of its events. */
export const createRebuild =
  (deps: RebuildDeps, corpus: Corpus) =>
  async (tenant: TenantId): Promise<number> => {
    await deps.database.system.write(store.ensureCursor);
    const replay = createReplay(deps, tenant);
    await replay.begin();
    const writing = createProjectionWriter(deps, tenant, corpus, replay);
    await writing.all();
    await removeStale(deps, tenant, corpus, replay, writing.written);
    // The projection may have written documents meanwhile that were then removed as stale: their events wait here.
    await writing.all();
    deps.hints.publish([CHUNK]);
    return writing.written.size;
  };
