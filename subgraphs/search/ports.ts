import type { Upstream } from '@landfall/kernel/module';
import type { Meter } from '@landfall/kernel/system/telemetry';
import type { Chunk } from './corpus/chunk.ts';

export interface SearchPorts {
  readonly upstream: Upstream;
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
