import { RecordSearchEventsDocument, type SearchEventInput } from '../generated/operations.ts';
import { createBatch } from './batch.ts';
import { client } from './graph-client.ts';
import { randomHex } from './random-hex.ts';

const LIMITS = { waitMs: 2_000, most: 100 } as const;

/** Id that groups the search events of one visit; a reload begins another. */
export const searchSessionId: string = randomHex(12);

/** Search events, which improve ranking; a failure to send them is ignored. */
const batch = createBatch<SearchEventInput>((events) => {
  const input = { events: [...events] };
  // The page may be closing.
  const context = { fetchOptions: { keepalive: true } };
  client.mutate({ mutation: RecordSearchEventsDocument, variables: { input }, context }).catch(() => undefined);
}, LIMITS);

document.addEventListener('visibilitychange', () => document.hidden && batch.flush());

/** Records an event of a query. Events are sent together, seconds later, or when the page is left. */
export const recordSearchEvent = (event: Omit<SearchEventInput, 'sessionId'>): void =>
  batch.add({ ...event, sessionId: searchSessionId });
