import type { Chunk } from '../corpus/chunk.ts';

/** Documents of the installation about itself. */
export interface Knowledge {
  readonly documents: readonly Chunk[];
  readonly apiSpecCount: number;
  readonly operations: readonly Chunk[];
  readonly checks: readonly Chunk[];
}
