import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { CallGraphError } from './call-graph-error.ts';
import type { Drift } from './drift.ts';
import type { ReachabilityStatement } from './finding-reachability.ts';
import type {
  DriftTask,
  ImportTask,
  ReachabilityAnswer,
  ReachabilityTask,
  StatementTask,
} from './reachability-task.ts';
import type { EncodedGraph } from './stored-graph.ts';

interface ThreadOptions {
  /** Ends the thread early. */
  readonly signal?: AbortSignal;
  /** MiB of JavaScript objects; the arrays of a graph are outside of it and bounded by the limits of graphs. */
  readonly heapMb?: number;
}

/** A task that failed without being refused, such as by a lack of memory; the process goes on. */
class ReachabilityFailure extends Error {
  override readonly name = 'ReachabilityFailure';
}

const failure = (error: unknown): Error => {
  const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new ReachabilityFailure(
    isOutOfMemory ? 'The call graph needs more memory than the thread may take.' : 'The thread failed.',
    {
      cause: error,
    },
  );
};

interface Run extends ThreadOptions {
  /** Buffers that move to the thread. */
  readonly transfer?: readonly Uint8Array<ArrayBuffer>[];
  readonly source?: AsyncIterable<Uint8Array>;
}

const startWorker = (task: ReachabilityTask, { transfer = [], source, heapMb = 2048 }: Run): Worker =>
  new Worker(new URL('./reachability.worker.ts', import.meta.url), {
    workerData: task,
    transferList: transfer.map(({ buffer }) => buffer),
    stdin: source !== undefined,
    // A worker takes the flags of its process, which may be a test runner's.
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });

/** Answer of a thread that ends with the task. @throws CallGraphError where it refuses, ReachabilityFailure where it dies */
const runInThread = async (task: ReachabilityTask, run: Run): Promise<ReachabilityAnswer> => {
  run.signal?.throwIfAborted();
  const worker = startWorker(task, run);
  const { promise, resolve, reject } = Promise.withResolvers<ReachabilityAnswer>();
  const ended = new AbortController();
  run.signal?.addEventListener('abort', () => reject(run.signal?.reason), { signal: ended.signal });
  worker.on('message', resolve);
  worker.on('error', (error) => reject(failure(error)));
  worker.on('exit', (code) => reject(failure(new Error(`The thread ended with code ${code}.`))));
  // The thread may refuse a document before its end, which is not read on then.
  if (run.source !== undefined && worker.stdin !== null)
    pipeline(Readable.from(run.source), worker.stdin, { signal: ended.signal }).catch(reject);
  try {
    const answer = await promise;
    if (answer.kind === 'refused') throw new CallGraphError(answer.reason, answer.message);
    return answer;
  } finally {
    ended.abort();
    await worker.terminate();
  }
};

const wrongAnswer = ({ kind }: ReachabilityAnswer): Error =>
  new Error(`The thread gave an answer of the kind ${kind}.`);

/** Imports a call graph from a document, read as a stream. @throws CallGraphError for one that is refused */
export const importCallGraph = async (
  source: AsyncIterable<Uint8Array>,
  task: Omit<ImportTask, 'kind'>,
  options: ThreadOptions = {},
): Promise<EncodedGraph> => {
  const answer = await runInThread({ kind: 'import', ...task }, { ...options, source });
  if (answer.kind !== 'import') throw wrongAnswer(answer);
  return answer.graph;
};

/** The same bytes in a buffer of their own, which can move to a thread. */
const owned = (bytes: Uint8Array): Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength
    ? new Uint8Array(bytes.buffer)
    : new Uint8Array(bytes);

/**
 * Compares two stored graphs, whose bytes move to the thread: the caller's arrays may be empty afterwards.
 * @throws CallGraphError for a stored graph that is damaged
 */
export const compareStoredGraphs = async (
  { base, head, severities }: Omit<DriftTask, 'kind'>,
  options: ThreadOptions = {},
): Promise<Drift> => {
  // A buffer can move once, and a graph may be compared with itself.
  const [ownBase, ownHead] = [owned(base), base.buffer === head.buffer ? new Uint8Array(head) : owned(head)];
  const task = { kind: 'drift', base: ownBase, head: ownHead, severities } as const;
  const answer = await runInThread(task, { ...options, transfer: [ownBase, ownHead] });
  if (answer.kind !== 'drift') throw wrongAnswer(answer);
  return answer.drift;
};

/** Statements on findings, in their order, by a graph whose bytes move to the thread. @throws CallGraphError for a stored graph that is damaged */
export const stateReachability = async (
  { graph, findings }: Omit<StatementTask, 'kind'>,
  options: ThreadOptions = {},
): Promise<readonly ReachabilityStatement[]> => {
  const own = owned(graph);
  const answer = await runInThread({ kind: 'statements', graph: own, findings }, { ...options, transfer: [own] });
  if (answer.kind !== 'statements') throw wrongAnswer(answer);
  return answer.statements;
};
