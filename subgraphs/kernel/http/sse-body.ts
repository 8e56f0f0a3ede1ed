import { encodeEvent, type SseEvent } from './sse.ts';

/** Writer of the events of an answer. */
export interface SseSource {
  /** Queues an event for the client; after the end it does nothing. It never waits for a slow client. */
  send(event: SseEvent): void;
  /** Settles when everything sent so far was passed to the client's connection, or the client has disconnected. */
  drained(): Promise<void>;
  readonly signal: AbortSignal;
}

interface SseBodyOptions {
  /** Signal of the request, aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** Pause between comments that keep proxies from closing a quiet stream. */
  readonly heartbeatMs?: number | undefined;
  /** A client that is this many bytes behind is cut off. */
  readonly maxBufferedBytes?: number | undefined;
}

const HEARTBEAT_MS = 15_000;
const MAX_BUFFERED_BYTES = 1024 * 1024;

const createQueue = () => {
  const waiting: string[] = [];
  let bytes = 0;
  return {
    add(text: string): number {
      waiting.push(text);
      bytes += Buffer.byteLength(text);
      return bytes;
    },
    shift(): string | undefined {
      const text = waiting.shift();
      if (text !== undefined) bytes -= Buffer.byteLength(text);
      return text;
    },
    isEmpty: () => waiting.length === 0,
    clear: () => {
      waiting.length = 0;
      bytes = 0;
    },
  };
};

const streamOf = (produce: (source: SseSource) => Promise<void>, options: SseBodyOptions): AsyncIterator<string> => {
  const { signal, heartbeatMs = HEARTBEAT_MS, maxBufferedBytes = MAX_BUFFERED_BYTES } = options;
  const removed = new AbortController();
  const queue = createQueue();
  let notify = (): void => {};
  let drained = Promise.withResolvers<void>();
  let isAsking = false;
  let heartbeat: NodeJS.Timeout | undefined;
  let hasStarted = false;
  let isOver = false;
  let failure: { readonly error: unknown } | undefined;

  const end = (found?: { readonly error: unknown }): void => {
    if (isOver) return;
    isOver = true;
    failure = found;
    clearInterval(heartbeat);
    signal?.removeEventListener('abort', leave);
    drained.resolve();
    notify();
  };
  /** Ends a stream that has no reader: drops the queue and aborts the producer. */
  const leave = (): void => {
    end();
    queue.clear();
    removed.abort();
  };
  const push = (text: string): void => {
    if (isOver) return;
    if (queue.add(text) > maxBufferedBytes) {
      end({ error: new Error(`The client is more than ${maxBufferedBytes} bytes behind.`) });
      queue.clear();
      removed.abort();
    } else notify();
  };
  const start = (): void => {
    hasStarted = true;
    signal?.addEventListener('abort', leave);
    if (signal?.aborted) {
      leave();
      return;
    }
    // A client that has not read the last event needs no further ones.
    heartbeat = setInterval(() => queue.isEmpty() && push(':\n\n'), heartbeatMs);
    const source: SseSource = {
      send: (event) => push(encodeEvent(event)),
      // A pull means that the previous chunk was consumed.
      drained: () => (isOver || (isAsking && queue.isEmpty()) ? Promise.resolve() : drained.promise),
      signal: removed.signal,
    };
    produce(source).then(
      () => end(),
      (error: unknown) => end({ error }),
    );
  };

  const next = async (): Promise<IteratorResult<string, undefined>> => {
    if (!hasStarted) start();
    for (;;) {
      const value = queue.shift();
      if (value !== undefined) return { done: false, value };
      if (failure) throw failure.error;
      if (isOver) return { done: true, value: undefined };
      isAsking = true;
      drained.resolve();
      drained = Promise.withResolvers();
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
      isAsking = false;
    }
  };
  return {
    next,
    return: async () => {
      leave();
      return { done: true, value: undefined };
    },
  };
};

/**
 * Body of a stream of events. A failure of `produce` breaks the stream off, so that no client treats it as complete.
 */
export const sseBody = (
  produce: (source: SseSource) => Promise<void>,
  options: SseBodyOptions = {},
): AsyncIterable<string> => ({ [Symbol.asyncIterator]: () => streamOf(produce, options) });
