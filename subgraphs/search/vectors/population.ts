import { setTimeout as pause } from 'node:timers/promises';
import type { Cursor } from '@landfall/kernel/events/read';
import type { Deps } from '@landfall/kernel/module';
import { SHARED } from '../corpus/chunk.ts';
import { createSamples, type Samples } from './samples.ts';
import type { VectorThread } from './thread.ts';
import * as store from './vectors.store.ts';

/** Progress of an owner's vectors. */
interface OwnerVectors {
  readonly cursor: Cursor;
  /** All chunks, or as many as fit, have been read once. */
  readonly isBuilt: boolean;
  /** There was no room for all: the oldest have vectors. */
  readonly isPartial: boolean;
  readonly samples: Samples;
  readonly applied: number;
  readonly size: number;
  readonly usedAt: number;
}

interface PopulationOptions {
  readonly most?: number;
  /** Monotonic clock in milliseconds. */
  readonly now?: () => number;
}

/** Some 90 MB of hashed vectors, 200 MB of a small model's. */
const MAX_VECTORS = 200_000;
/** Share of shared documents, reserved; and the largest share of a tenant. */
const SHARED_SHARE = 1 / 2;
const TENANT_SHARE = 1 / 4;
/** Owners used within this time are not evicted, since rebuilding costs more. */
const RETENTION_MS = 600_000;
const PAGE = 200;
/** Rest after a page as a multiple of its duration, so that searches have priority. */
const REST = 3;
const MAX_BACKOFF_MS = 1_000;
const START: Cursor = { xid: 0n, id: 0n };

const EMPTY = { cursor: START, isBuilt: false, isPartial: false, applied: 0, size: 0, usedAt: 0 } as const;

/** The first rows for whose vectors there is room. */
const withinRoom = (rows: readonly store.TextChange[], available: number): readonly store.TextChange[] => {
  let remaining = available;
  const end = rows.findIndex(({ isRemoved }) => !isRemoved && remaining-- <= 0);
  return end < 0 ? rows : rows.slice(0, end);
};

export const createPopulation = (
  { database }: Pick<Deps, 'database'>,
  thread: Pick<VectorThread, 'ask'>,
  { most = MAX_VECTORS, now = () => performance.now() }: PopulationOptions = {},
) => {
  const owners = new Map<string, OwnerVectors>();
  const inProgress = new Map<string, Promise<void>>();
  let generation = 1;

  /** Forgets everything where the encoder is another one: its vectors cannot be compared with what there is. */
  const onGeneration = (current: number): void => {
    if (current === generation) return;
    generation = current;
    owners.clear();
  };

  const share = (owner: string): number => Math.floor(most * (owner === SHARED ? SHARED_SHARE : TENANT_SHARE));

  const roomOf = (owner: string): number => {
    const own = share(owner) - (owners.get(owner)?.size ?? 0);
    if (owner === SHARED) return own;
    const tenants = [...owners].filter(([each]) => each !== SHARED).reduce((sum, [, { size }]) => sum + size, 0);
    return Math.min(own, most - share(SHARED) - tenants);
  };

  /** Another tenant that has not searched for long, the longest first. */
  const idle = (owner: string): string | undefined => {
    const others = [...owners].filter(
      ([each, { usedAt }]) => each !== owner && each !== SHARED && usedAt <= now() - RETENTION_MS,
    );
    return others.sort(([, a], [, b]) => a.usedAt - b.usedAt)[0]?.[0];
  };

  /** Evicts idle owners within the owner's share. @returns free slots */
  const makeRoom = async (owner: string, requested: number): Promise<number> => {
    const allowed = Math.min(requested, share(owner) - (owners.get(owner)?.size ?? 0));
    for (let other = idle(owner); other !== undefined && roomOf(owner) < allowed; other = idle(owner)) {
      owners.delete(other);
      onGeneration((await thread.ask({ kind: 'forget', owner: other })).generation);
    }
    return Math.max(0, roomOf(owner));
  };

  /** @throws Error where the encoder fails; the changes are read again */
  const apply = async (
    owner: string,
    state: OwnerVectors,
    rows: readonly store.TextChange[],
  ): Promise<OwnerVectors> => {
    const put = rows
      .filter(({ isRemoved }) => !isRemoved)
      .map(({ chunkId, title, packages, body }) => ({ number: chunkId, text: [title, ...packages, body].join('\n') }));
    const remove = rows.filter(({ isRemoved }) => isRemoved).map(({ chunkId }) => chunkId);
    const answer = await thread.ask({ kind: 'apply', owner, put, remove });
    onGeneration(answer.generation);
    if (answer.hasFailed) throw new Error('the encoder gives no vectors for now');
    for (const { isRemoved, entityKey, title, body } of rows)
      if (!isRemoved) state.samples.offer({ entityKey, title, body });
    const last = rows.at(-1);
    return {
      ...state,
      cursor: last ? { xid: BigInt(last.xid), id: BigInt(last.chunkId) } : state.cursor,
      applied: state.applied + put.length,
      size: answer.owned,
    };
  };

  const read = async (owner: string): Promise<void> => {
    const started = generation;
    let state: OwnerVectors = { ...(owners.get(owner) ?? { ...EMPTY, samples: createSamples() }), usedAt: now() };
    owners.set(owner, state);
    for (;;) {
      const { cursor } = state;
      const begunAt = performance.now();
      const rows = await database.system.read((query) => store.listTexts(query, owner, cursor, PAGE));
      const some = withinRoom(rows, await makeRoom(owner, rows.length));
      if (some.length > 0 && generation === started) state = await apply(owner, state, some);
      // The encoder is another one: what was read is to be read again, next time.
      if (generation !== started) return;
      const isPartial = some.length < rows.length;
      const isDone = isPartial || rows.length < PAGE;
      state = { ...state, isPartial, isBuilt: state.isBuilt || isDone };
      owners.set(owner, state);
      if (isDone) return;
      await pause(Math.min(MAX_BACKOFF_MS, REST * (performance.now() - begunAt)), undefined, { ref: false });
    }
  };

  /** Reads changes of an owner; concurrent calls share one run. */
  const update = (owner: string): Promise<void> => {
    const reading = inProgress.get(owner) ?? read(owner).finally(() => inProgress.delete(owner));
    inProgress.set(owner, reading);
    return reading;
  };

  return { update, onGeneration, vectorsOf: (owner: string) => owners.get(owner), generation: () => generation };
};

export type Population = ReturnType<typeof createPopulation>;
