import { Worker } from 'node:worker_threads';
import type { Log } from '@landfall/kernel/system/log';
import type { ActiveEncoder } from './encoder.ts';
import { READY, type VectorAnswer, type VectorRequest, type VectorSetup } from './messages.ts';

type Body<R> = R extends { readonly id: number } ? Omit<R, 'id'> : never;

interface Waiting {
  resolve(answer: VectorAnswer): void;
  reject(error: Error): void;
}

const isAnswer = (value: unknown): value is VectorAnswer =>
  typeof value === 'object' && value !== null && 'id' in value && 'generation' in value;

export const startVectorThread = (setup: VectorSetup, log: Log) => {
  const waiting = new Map<number, Waiting>();
  const ready = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  let active: ActiveEncoder = setup.encoder === 'onnx' ? 'onnx-fallback' : 'hash';
  let next = READY;
  let isRemoved = false;
  // A worker takes the flags of its process, which may be a test runner's.
  const worker = new Worker(new URL('./vector.worker.ts', import.meta.url), { workerData: setup, execArgv: [] });
  // Vectors keep no process alive.
  worker.unref();

  const leave = (error: Error): void => {
    isRemoved = true;
    active = 'hash-fallback';
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    ready.resolve();
  };
  worker.on('message', (value: unknown) => {
    if (!isAnswer(value)) return;
    if (value.active !== active && value.reason !== undefined)
      log.warn({ encoder: value.active, reason: value.reason }, 'search.vectors: another encoder stands in');
    active = value.active;
    if (value.id === READY) ready.resolve();
    waiting.get(value.id)?.resolve(value);
    waiting.delete(value.id);
  });
  worker.on('error', (error) => {
    log.error({ err: error }, 'search.vectors: the thread has failed; words alone answer');
    leave(error instanceof Error ? error : new Error(String(error)));
  });
  worker.on('exit', () => {
    leave(new Error('the thread of vectors has ended'));
    finished.resolve();
  });

  /** @throws Error when the thread is gone, or `limitMs` are over */
  const ask = async (request: Body<VectorRequest>, limitMs?: number): Promise<VectorAnswer> => {
    if (isRemoved) throw new Error('the thread of vectors has ended');
    const id = ++next;
    const { promise, resolve, reject } = Promise.withResolvers<VectorAnswer>();
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, ...request });
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            waiting.delete(id);
            reject(new Error(`no vectors within ${limitMs} ms`));
          }, limitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    ask,
    active: (): ActiveEncoder => active,
    /** Resolves once the encoder or its fallback is open, or the thread has ended. */
    ready: ready.promise,
    async [Symbol.asyncDispose](): Promise<void> {
      worker.ref();
      worker.postMessage({ kind: 'stop' } satisfies VectorRequest);
      await finished.promise;
    },
  };
};

export type VectorThread = ReturnType<typeof startVectorThread>;
