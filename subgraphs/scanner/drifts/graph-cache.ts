import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import type { TenantId } from '@landfall/kernel/core/ids';
import { sha256 } from '@landfall/kernel/crypto/digest';
import type { Deps } from '@landfall/kernel/module';
import type { CallGraph } from './call-graphs.store.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import type { RedisClient } from './redis-client.ts';

/** Values of spec 8, "Callgraph cache". */
const KEY_PREFIX = 'callgraph:';
const TTL_SECONDS = 3_600;
const FAILURE_THRESHOLD = 5;
export const CALL_TIMEOUT_MS = 30_000;
const HALF_OPEN_MS = 10_000;

const unpack = promisify(gunzip);

/** Graph by what its cached bytes are found and checked. */
type GraphKey = Pick<CallGraph, 'digest' | 'size'>;

/** Cache of stored call graphs, which may lose or refuse any of them at any time. */
export interface GraphCache {
  /** Stored form of a graph; undefined where it is not cached, or the cache fails. */
  find(tenant: TenantId, graph: GraphKey): Promise<Buffer | undefined>;
  /** Caches a stored form, whose bytes may change or move once the function returned. It does not fail. */
  save(tenant: TenantId, graph: GraphKey, stored: Uint8Array): Promise<void>;
}

/** The digest is that of the bytes: graphs that differ in confidence or coverage only have one graph hash. */
const keyOf = (tenant: TenantId, digest: string): string => `${KEY_PREFIX}${tenant}:${digest}`;

/** Upper bound of a gzip file of bytes that do not compress. */
const packedSize = (size: number): number => size + Math.ceil(size / 100) + 1_024;

/** Creates a cache of stored call graphs on a server of the Redis protocol. */
export const createGraphCache = ({ clock, log }: Pick<Deps, 'clock' | 'log'>, client: RedisClient): GraphCache => {
  const guarded = createCircuitBreaker({
    clock,
    threshold: FAILURE_THRESHOLD,
    halfOpenMs: HALF_OPEN_MS,
    onFailure: (err, isOpen) => log.warn({ err, isOpen }, 'the cache of call graphs failed; the database is read'),
  });

  /** The graph in a cached value; undefined where the value is damaged. */
  const graphOf = async (value: Buffer, { digest, size }: GraphKey): Promise<Buffer | undefined> => {
    try {
      const stored = await unpack(value, { maxOutputLength: size });
      if (sha256(stored) === digest) return stored;
    } catch {
      // It is no gzip file, or one of something larger.
    }
    log.warn({ digest }, 'a cached call graph is damaged; the database is read');
    return undefined;
  };

  return {
    async find(tenant, graph) {
      const value = await guarded(() => client.get(keyOf(tenant, graph.digest), packedSize(graph.size)));
      return value ? graphOf(value, graph) : undefined;
    },
    async save(tenant, { digest }, stored) {
      // Zstandard has compressed it: level 0 adds the frame and the checksum of gzip for little time.
      const packed = gzipSync(stored, { level: 0 });
      await guarded(() => client.set(keyOf(tenant, digest), packed, TTL_SECONDS));
    },
  };
};
