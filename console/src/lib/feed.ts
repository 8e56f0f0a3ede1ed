import { createEventReader } from './event-stream.ts';
import { fieldsOf, parseJson } from './json.ts';

/** Change notice: which thing is at which version. It never carries data. */
export type Change = { readonly type: string; readonly id: string; readonly version: number };

export type FeedListener = {
  /** Server answered; notices follow. */
  readonly opened: () => void;
  /** Position to resume after. */
  readonly seen: (eventId: string) => void;
  readonly changed: (change: Change) => void;
  /** Seconds that the server itself lags; 0 when it has caught up. */
  readonly behind: (seconds: number) => void;
};

/** Two beats of the server, which sends one every 15 seconds, and a little for the way. */
const DEADLINE_MS = 32_000;

/**
 * Reads the change feed (Server-Sent Events, WHATWG HTML 9.2) until the server or the signal ends it. `after` is the
 * last event id seen: the server sends what happened since.
 * @param deadlineMs without a byte, the answer's first included, after which the line counts as broken
 * @returns false when the server does not know `after`, so that nothing can be resumed
 * @throws Error when it refuses otherwise, or the line breaks or is silent for too long
 */
export async function readFeed(
  url: string,
  after: string | undefined,
  signal: AbortSignal,
  listener: FeedListener,
  { get = fetch, deadlineMs = DEADLINE_MS }: { readonly get?: typeof fetch; readonly deadlineMs?: number } = {},
): Promise<boolean> {
  const silence = createTimer(deadlineMs);
  try {
    return await read(url, after, AbortSignal.any([signal, silence.signal]), listener, {
      get,
      heard: silence.restart,
    });
  } finally {
    silence.stop();
  }
}

async function read(
  url: string,
  after: string | undefined,
  signal: AbortSignal,
  listener: FeedListener,
  { get, heard }: { readonly get: typeof fetch; readonly heard: () => void },
): Promise<boolean> {
  const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) };
  const answer = await get(url, { headers, signal, cache: 'no-store' });
  if (answer.status === 400 && after !== undefined) return false;
  if (!answer.ok || answer.body === null) throw new Error(`The change feed answered ${answer.status}.`);
  heard();
  listener.opened();

  const decode = createEventReader(({ name, data, id }) => {
    if (id !== '') listener.seen(id);
    if (name === 'behind') return listener.behind(secondsOf(data));
    const change = changeOf(data);
    if (change !== undefined) listener.changed(change);
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    heard();
    decode(part.value);
  }
  return true;
}

function createTimer(ms: number) {
  const controller = new AbortController();
  const fire = () => controller.abort(new DOMException('The change feed is silent.', 'TimeoutError'));
  let timer = setTimeout(fire, ms);
  return {
    signal: controller.signal,
    restart: () => {
      clearTimeout(timer);
      timer = setTimeout(fire, ms);
    },
    stop: () => clearTimeout(timer),
  };
}

function secondsOf(data: string): number {
  const { seconds } = fieldsOf(parseJson(data));
  return typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}

function changeOf(data: string): Change | undefined {
  const { type, id, version } = fieldsOf(parseJson(data));
  if (typeof type !== 'string' || typeof id !== 'string' || typeof version !== 'number') return undefined;
  return { type, id, version };
}
