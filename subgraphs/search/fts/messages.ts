import type { IndexChange, LaneQuery } from './lane.ts';
import type { PackedAnswer } from './packed-answer.ts';

/** Segment in shared memory, passed between threads without a copy. */
export interface SharedSegment {
  readonly id: number;
  readonly buffer: SharedArrayBuffer;
  readonly removed: SharedArrayBuffer;
}

/** Merge with the deletion bits at its start. */
interface MergePlan {
  readonly sources: readonly { readonly id: number; readonly buffer: SharedArrayBuffer; readonly before: Uint8Array }[];
}

/** Segments added and dropped, and the total of chunks. */
export interface Changed {
  readonly added: readonly SharedSegment[];
  readonly dropped: readonly number[];
  readonly chunks: number;
}

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

export interface Snapshot {
  readonly cursor: string;
  readonly segments: readonly Omit<SharedSegment, 'id'>[];
}

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
