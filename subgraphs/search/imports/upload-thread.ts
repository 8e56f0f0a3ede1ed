import { Worker } from 'node:worker_threads';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { ReadDocuments, Upload } from './upload.ts';

/** Time limit of reading a file, in milliseconds; typical files take some hundred. */
const MAX_MS = 20_000;
/** MiB of memory that reading may take. */
const MEMORY = 512;

const tooMuch = (reason: string): Fault =>
  new Fault(
    'VAL_INVALID_VALUE',
    `The file cannot be read here: ${reason}. Try \`landfall search import\`.`,
    undefined,
    [{ field: 'content', message: reason, code: 'VAL_INVALID_VALUE' }],
  );

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** Reads in a thread of its own, which ends with it. @throws Fault where that takes too long or too much memory */
const readInThread = (written: Upload, mostMs: number): Promise<ReadDocuments> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./upload.worker.ts', import.meta.url), {
      workerData: written,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY },
    });
    const limit = setTimeout(() => end(() => reject(tooMuch(`it takes more than ${mostMs / 1_000} s`))), mostMs);
    const end = (settle: () => void): void => {
      clearTimeout(limit);
      settle();
      void worker.terminate();
    };
    worker.on('message', (read: ReadDocuments) => end(() => resolve(read)));
    worker.on('error', (error) => {
      const cause = error instanceof Error ? error : new Error(String(error));
      end(() => reject(isOutOfMemory(cause) ? tooMuch('it takes too much memory') : cause));
    });
    worker.on('exit', (code) => end(() => reject(new Error(`Reading ended (${code}).`))));
  });

/** Reads uploads in a thread, one at a time for each tenant. */
export const createUploadReader = (mostMs = MAX_MS) => {
  const last = new Map<TenantId, Promise<unknown>>();
  return async (tenant: TenantId, written: Upload): Promise<ReadDocuments> => {
    const own = (last.get(tenant) ?? Promise.resolve()).then(() => readInThread(written, mostMs));
    const settled = own.catch(() => {});
    last.set(tenant, settled);
    try {
      return await own;
    } finally {
      if (last.get(tenant) === settled) last.delete(tenant);
    }
  };
};
