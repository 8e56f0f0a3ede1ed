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

export interface SearchPorts {
  /** Answers as the route would answer `caller`. @throws any transport error */
  readonly upstream: (caller: Caller, request: UpstreamRequest) => Promise<UpstreamAnswer>;
  /** The installation's own documents, operations and checks, for the knowledge corpus: read when it is rebuilt. */
  readonly knowledge: () => Promise<Knowledge>;
  readonly meter?: Meter | undefined;
}

/** Documents of the installation about itself. */
export interface Knowledge {
  readonly documents: readonly Chunk[];
  readonly apiSpecCount: number;
  readonly operations: readonly Chunk[];
  readonly checks: readonly Chunk[];
}

/** Directory of the snapshot, and base address. */
export interface SearchPlace {
  readonly dataDir: string;
  readonly baseUrl: string;
}
