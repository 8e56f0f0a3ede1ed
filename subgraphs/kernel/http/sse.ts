import type { ServerResponse } from 'node:http';

/** One event of a stream (WHATWG HTML 9.2). */
export interface SseEvent {
  /** The listener's name; `message` when absent. */
  readonly event?: string;
  /** Value that the client sends as `Last-Event-ID` when it reconnects. */
  readonly id?: string;
  readonly data: string;
}

/** Writer of an event stream. */
export interface SseWriter {
  /** Writes an event; the promise settles when there is room for the next. After the end it does nothing. */
  send(event: SseEvent): Promise<void>;
  /** Aborted when the client has gone or the stream has ended. */
  readonly signal: AbortSignal;
  /** Ends the stream. The client reconnects after its retry interval. */
  close(): void;
}

interface SseOptions {
  /** Pause between comments that keep proxies from closing a quiet stream. */
  readonly heartbeatMs?: number;
  /** Called at each of them: the place to ask whether the stream may go on. */
  readonly onHeartbeat?: () => unknown;
  /** Pause of a client before it reconnects. */
  readonly retryMs?: number;
  /** Upper bound of unsent bytes; a slower client is disconnected, and resumes when it reconnects. */
  readonly maxBufferedBytes?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const field = (name: string, value: string | undefined): string => {
  if (value === undefined) return '';
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The ${name} of an event must be one line.`);
  return `${name}: ${value}\n`;
};

/** Encodes an event; every line of its data is a separate field. */
export const encodeEvent = ({ event, id, data }: SseEvent): string => {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `${field('event', event)}${field('id', id)}${lines.join('')}\n`;
};

/** Id of the last event that a reconnecting client has received. */
export const lastEventId = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | undefined => {
  const value = headers['last-event-id'];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // nginx would otherwise hold events back until its buffer is full.
  'x-accel-buffering': 'no',
} as const;

/** Starts an event stream as the response to a request: from then on only the writer writes the response. */
export const openSse = (response: ServerResponse, options: SseOptions = {}): SseWriter => {
  const { heartbeatMs = 15_000, onHeartbeat, retryMs = 2_000, maxBufferedBytes = 1024 * 1024, headers } = options;
  const removed = new AbortController();
  let draining: Promise<void> | undefined;

  response.writeHead(200, {
    ...sseHeaders,
    ...headers,
  });
  response.write(`retry: ${retryMs}\n\n`);
  const heartbeat = setInterval(() => {
    void write(':\n\n');
    onHeartbeat?.();
  }, heartbeatMs);
  response.on('error', () => response.destroy());
  response.once('close', () => {
    clearInterval(heartbeat);
    removed.abort();
  });

  const write = async (text: string): Promise<void> => {
    if (removed.signal.aborted || response.writableEnded) return;
    if (response.write(text)) return;
    if (response.writableLength > maxBufferedBytes) {
      response.destroy();
      return;
    }
    // One promise for all writers, settled when the buffer has room or the stream ends.
    draining ??= new Promise<void>((resolve) => {
      const settle = (): void => {
        response.off('drain', settle);
        removed.signal.removeEventListener('abort', settle);
        draining = undefined;
        resolve();
      };
      response.once('drain', settle);
      removed.signal.addEventListener('abort', settle);
    });
    await draining;
  };

  return {
    send: (event) => write(encodeEvent(event)),
    signal: removed.signal,
    close: () => void response.end(),
  };
};
