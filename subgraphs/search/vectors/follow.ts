import type { Cursor } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import { createSamples, type Samples } from './samples.ts';
import type { VectorThread } from './thread.ts';
import * as store from './vectors.store.ts';

/** Whose chunks have vectors, and how far. */
export interface Shelf {
  readonly cursor: Cursor;
  /** Everything that there was has been read once. */
  readonly isBuilt: boolean;
  /** There was no room for all. */
  readonly isPartial: boolean;
  readonly samples: Samples;
  readonly applied: number;
  readonly usedAt: number;
}

/** Brings the texts of those who search by vectors to the thread, each owner's when it first asks. */
export interface Follower {
  /** Reads what has changed of an owner. */
  follow(owner: string): Promise<void>;
  shelf(owner: string): Shelf | undefined;
  generation(): number;
  /** Forgets everything where the encoder is another one: its vectors cannot be compared with what there is. */
  notice(generation: number): void;
}

/** Some 90 MB of hashed vectors, 200 MB of a small model's. */
export const MOST_VECTORS = 200_000;
const PAGE = 200;
const BEGINNING: Cursor = { xid: 0n, id: 0n };

export const createFollower = (
  { database }: Pick<Deps, 'database'>,
  thread: Pick<VectorThread, 'ask'>,
  most = MOST_VECTORS,
): Follower => {
  const shelves = new Map<string, Shelf>();
  let generation = 1;
  let uses = 0;

  const notice = (current: number): void => {
    if (current === generation) return;
    generation = current;
    shelves.clear();
  };

  /** Makes room by forgetting who has not asked for the longest time. @returns whether there was anybody */
  const forgetOther = async (owner: string): Promise<boolean> => {
    const [oldest] = [...shelves].filter(([each]) => each !== owner).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (!oldest) return false;
    shelves.delete(oldest[0]);
    notice((await thread.ask({ kind: 'forget', owner: oldest[0] })).generation);
    return true;
  };

  const apply = async (owner: string, shelf: Shelf, rows: readonly store.TextChange[]): Promise<Shelf> => {
    const put = rows
      .filter(({ isRemoved }) => !isRemoved)
      .map(({ chunkId, title, packages, body }) => ({ number: chunkId, text: [title, ...packages, body].join('\n') }));
    const remove = rows.filter(({ isRemoved }) => isRemoved).map(({ chunkId }) => chunkId);
    for (const { isRemoved, entityKey, title, body } of rows)
      if (!isRemoved) shelf.samples.offer({ entityKey, title, body });
    const answer = await thread.ask({ kind: 'apply', owner, put, remove });
    notice(answer.generation);
    const last = rows.at(-1);
    return {
      ...shelf,
      cursor: last ? { xid: BigInt(last.xid), id: BigInt(last.chunkId) } : shelf.cursor,
      applied: shelf.applied + put.length,
      isPartial: answer.size >= most && !(await forgetOther(owner)),
    };
  };

  const follow = async (owner: string): Promise<void> => {
    const begun = generation;
    let shelf = shelves.get(owner) ?? {
      cursor: BEGINNING,
      isBuilt: false,
      isPartial: false,
      samples: createSamples(),
      applied: 0,
      usedAt: 0,
    };
    while (!shelf.isPartial) {
      const { cursor } = shelf;
      const rows = await database.system.read((query) => store.listTexts(query, owner, cursor, PAGE));
      if (rows.length > 0) shelf = await apply(owner, shelf, rows);
      // The encoder is another one: what was read is to be read again, next time.
      if (generation !== begun) return;
      if (rows.length < PAGE) break;
    }
    uses += 1;
    shelves.set(owner, { ...shelf, isBuilt: true, usedAt: uses });
  };

  return { follow, notice, shelf: (owner) => shelves.get(owner), generation: () => generation };
};
