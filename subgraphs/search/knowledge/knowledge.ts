import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Deps } from '@landfall/kernel/module';
import { type Chunk, SHARED } from '../corpus/chunk.ts';
import type { Corpus } from '../corpus/corpus.ts';
import type { Knowledge as KnowledgeDocuments } from './documents.ts';

export interface KnowledgeCounts {
  readonly documentCount: number;
  readonly chunkCount: number;
  readonly apiSpecCount: number;
  readonly apiOperationCount: number;
  readonly doctorProjectionCount: number;
}

export interface Knowledge {
  /** Brings the shared knowledge corpus up to date and removes obsolete documents. */
  rebuild(): Promise<KnowledgeCounts>;
  /** Runs once at the start, with retries: another version has other documents. */
  readonly worker: Worker;
}

interface KnowledgeOptions extends Pick<Deps, 'log'> {
  readonly corpus: Pick<Corpus, 'put' | 'remove' | 'documentKeys'>;
  readonly knowledge: () => Promise<KnowledgeDocuments>;
}

const SOURCES = ['docs', 'openapi', 'doctor'] as const;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/** The parts of a document are counted with it. */
const documentsIn = (chunks: readonly Chunk[]): number => new Set(chunks.map(({ documentKey }) => documentKey)).size;

export const createKnowledge = ({ log, corpus, knowledge }: KnowledgeOptions): Knowledge => {
  const dropOthers = async (chunks: readonly Chunk[]): Promise<void> => {
    for (const source of SOURCES) {
      const existing = new Set(chunks.flatMap((chunk) => (chunk.source === source ? chunk.documentKey : [])));
      const known = await corpus.documentKeys(SHARED, source);
      const removed = known.filter((key) => !existing.has(key));
      if (removed.length > 0) await corpus.remove(SHARED, source, removed);
    }
  };

  const rebuild = async (): Promise<KnowledgeCounts> => {
    const { documents, apiSpecCount, operations, checks } = await knowledge();
    const all = [...documents, ...operations, ...checks];
    // Unchanged documents are not written, so that every start may do this.
    const { added, changed, unchanged } = await corpus.put(SHARED, all);
    await dropOthers(all);
    return {
      documentCount: documentsIn(documents),
      chunkCount: added + changed + unchanged,
      apiSpecCount,
      apiOperationCount: documentsIn(operations),
      doctorProjectionCount: documentsIn(checks),
    };
  };

  const start = (): AsyncDisposable => {
    const stopping = new AbortController();
    const running = (async () => {
      for (let retryMs = FIRST_RETRY_MS; !stopping.signal.aborted; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
        try {
          await rebuild();
          return;
        } catch (error) {
          log.error({ err: error }, 'search.knowledge');
          await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => {});
        }
      }
    })();
    return {
      async [Symbol.asyncDispose]() {
        stopping.abort();
        await running;
      },
    };
  };

  return { rebuild, worker: { name: 'search.knowledge', start } };
};
