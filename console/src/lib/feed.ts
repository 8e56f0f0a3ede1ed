import { createEventReader } from './event-stream.ts';

/** A change notice: which thing is at which version. It never carries data. */
export type Change = { readonly type: string; readonly id: string; readonly version: number };

/** What the feed says on its way. */
export type FeedListener = {
  /** The server answered; notices follow. */
  readonly opened: () => void;
  /** Where the feed is: what to resume after. */
  readonly seen: (eventId: string) => void;
  readonly changed: (change: Change) => void;
};

/**
 * Reads the change feed (Server-Sent Events, WHATWG HTML 9.2) until the server or the signal ends it. `after` is the
 * last event id seen: the server sends what happened since.
 * @returns false when the server does not know `after`, so that nothing can be resumed
 * @throws Error when it refuses otherwise, or the line breaks
 */
export async function readFeed(
  url: string,
  after: string | undefined,
  signal: AbortSignal,
  listener: FeedListener,
  get: typeof fetch = fetch,
): Promise<boolean> {
  const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) };
  const answer = await get(url, { headers, signal, cache: 'no-store' });
  if (answer.status === 400 && after !== undefined) return false;
  if (!answer.ok || answer.body === null) throw new Error(`The change feed answered ${answer.status}.`);
  listener.opened();

  const decode = createEventReader(({ data, id }) => {
    if (id !== '') listener.seen(id);
    const change = changeOf(data);
    if (change !== undefined) listener.changed(change);
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) decode(part.value);
  return true;
}

function changeOf(data: string): Change | undefined {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== 'object' || value === null) return undefined;
    const { type, id, version }: Readonly<Record<string, unknown>> = { ...value };
    if (typeof type !== 'string' || typeof id !== 'string' || typeof version !== 'number') return undefined;
    return { type, id, version };
  } catch {
    return undefined;
  }
}
