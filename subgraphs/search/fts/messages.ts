import type { IndexChange, LaneQuery } from './lane.ts';
import type { PackedAnswer } from './packed-answer.ts';

/** A segment as threads hand it on: shared memory, nothing is copied. */
export interface SharedSegment {
  readonly id: number;
  readonly buffer: SharedArrayBuffer;
  readonly removed: SharedArrayBuffer;
}

/** A merge that is to be made, with what had been removed of each source when it was asked for. */
export interface MergePlan {
  readonly sources: readonly { readonly id: number; readonly buffer: SharedArrayBuffer; readonly before: Uint8Array }[];
}

/** What came and went; what there is in all. */
export interface Changed {
  readonly added: readonly SharedSegment[];
  readonly dropped: readonly number[];
  readonly chunks: number;
}

/** What the thread that searches is asked, and its answers. */
export interface QueryRequests {
  search: { readonly ask: LaneQuery; readonly answer: PackedAnswer };
  /** Builds and takes a few changes itself. */
  apply: { readonly ask: readonly IndexChange[]; readonly answer: Changed };
  install: {
    readonly ask: { readonly buffers: readonly SharedArrayBuffer[]; readonly numbers: Float64Array };
    readonly answer: Changed;
  };
  restore: { readonly ask: readonly Omit<SharedSegment, 'id'>[]; readonly answer: Changed };
  plan: { readonly ask: { readonly fan: number }; readonly answer: MergePlan | undefined };
  replace: { readonly ask: MergePlan & { readonly merged: SharedArrayBuffer }; readonly answer: Changed };
  numbers: { readonly ask: { readonly tenant: string }; readonly answer: Float64Array };
  clear: { readonly ask: { readonly tenant: string | undefined }; readonly answer: Changed };
}

/** What is in a snapshot. */
export interface Snapshot {
  readonly cursor: string;
  readonly segments: readonly Omit<SharedSegment, 'id'>[];
}

/** What the thread that builds, merges and keeps files is asked, and its answers. */
export interface BuildRequests {
  build: {
    readonly ask: readonly IndexChange[];
    readonly answer: { readonly buffers: readonly SharedArrayBuffer[]; readonly numbers: Float64Array };
  };
  merge: { readonly ask: MergePlan; readonly answer: SharedArrayBuffer };
  /** The snapshot of a directory, or why there is none that can be used. */
  open: {
    readonly ask: { readonly directory: string };
    readonly answer: Snapshot | { readonly refused: string } | undefined;
  };
  write: {
    readonly ask: {
      readonly directory: string;
      readonly cursor: string;
      readonly segments: readonly {
        readonly id: number;
        readonly buffer: SharedArrayBuffer;
        readonly removed: Uint8Array;
      }[];
    };
    readonly answer: null;
  };
}
