import type { Chunk } from '../corpus/chunk.ts';
import type { Domain } from '../shared/domains.ts';
import { findings } from './findings.ts';
import { policy } from './policy.ts';
import { vex } from './vex.ts';

const ADAPTER_NAMES = ['findings', 'policy', 'vex'] as const;

export type AdapterName = (typeof ADAPTER_NAMES)[number];

/** Route of the platform whose items become documents. */
export interface Adapter {
  readonly name: AdapterName;
  readonly domain: Domain;
  /** The first page: path and query. */
  readonly target: string;
  chunkOf(item: unknown): Chunk | undefined;
}

/** Adapters in the order of the REST answer (spec 2.8). */
export const ADAPTERS: readonly Adapter[] = [findings, policy, vex];
