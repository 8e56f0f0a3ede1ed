import type { Caller } from '@landfall/kernel/core/caller';
import type { Meter } from '@landfall/kernel/system/telemetry';
import type { Chunk } from './corpus/chunk.ts';

/** A GET of one of this platform's own routes, wherever the module is that has it. */
export interface UpstreamRequest {
  /** Path and query. */
  readonly target: string;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamAnswer {
  /** 404 too where no module of this installation has the route. */
  readonly status: number;
  readonly body: Uint8Array;
}

/** What search asks others for. */
export interface SearchPorts {
  /** Answers as the route would answer `caller`. @throws whatever keeps it from an answer */
  readonly upstream: (caller: Caller, request: UpstreamRequest) => Promise<UpstreamAnswer>;
  /** The installation's own documents, operations and checks, for the knowledge corpus: read when it is rebuilt. */
  readonly knowledge: () => Promise<Knowledge>;
  readonly meter?: Meter | undefined;
}

/** Everybody's: what this installation can say of itself. */
export interface Knowledge {
  readonly documents: readonly Chunk[];
  /** How many OpenAPI documents the operations come from. */
  readonly apiSpecCount: number;
  readonly operations: readonly Chunk[];
  readonly checks: readonly Chunk[];
}

/** Where the index keeps its snapshot, and who is asked by which address. */
export interface SearchPlace {
  readonly dataDir: string;
  readonly baseUrl: string;
}
