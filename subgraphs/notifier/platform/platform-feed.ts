import { toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { type FollowedEvent, listAfter } from '@landfall/kernel/events/follower';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { NewEvent } from '../events/events.store.ts';
import * as events from '../events/events.store.ts';
import type { Signal } from '../shared/signal.ts';
import * as store from './feed.store.ts';
import { type Meaning, PLATFORM_EVENT_TYPES, readPlatformEvent } from './platform-events.ts';
import { createSubjects } from './subjects.ts';

const BATCH = 500;
const POLL_MS = 1_000;
/** Transactions after which the position moves although none of them is told, so that nothing is read twice for long. */
const LONGEST_SPAN = 1_000n;
/** Entities whose events wake the worker. */
const ENTITIES = [
  'Artifact',
  'Deployment',
  'Promotion',
  'Target',
  'Release',
  'Environment',
  'NotificationChannel',
  'ContactMethod',
];

interface FeedDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  /** Notified once events are accepted. */
  readonly accepted: Signal;
}

/**
 * Follows the platform's own events and accepts those that people are told of. The position moves in the transaction that
 * accepts them, so that each is accepted once.
 */
export const createPlatformFeed = ({ database, ids, hints, log, accepted }: FeedDeps) => {
  const acceptedOf = ({ tenant, xid, id, at, actor, correlationId }: FollowedEvent, meaning: Meaning): NewEvent => ({
    tenant,
    id: toId(ids.uuid(), 'NotificationEvent'),
    producer: 'platform',
    eventId: `${xid}-${id}`,
    at,
    actor,
    correlationId,
    ...meaning,
  });

  /** Reads the next events on a locked position, accepts what they tell, and moves the position. */
  const follow = async (tx: Tx, feed: store.Feed) => {
    const { events: next, next: position } = await listAfter(tx, feed, PLATFORM_EVENT_TYPES, BATCH);
    const subjects = createSubjects(tx);
    const rows: NewEvent[] = [];
    for (const event of next) {
      const meaning = await readPlatformEvent(subjects, event);
      if (meaning && BigInt(event.xid) >= BigInt(feed.since)) rows.push(acceptedOf(event, meaning));
    }
    await subjects.save();
    if (rows.length > 0) await events.insertAll(tx, rows);
    if (next.length > 0) await failpoint('notifier.platform.read');
    const isFarBehind = BigInt(position.xid) - BigInt(feed.xid) > LONGEST_SPAN;
    if (next.length > 0 || isFarBehind) await store.moveFeed(tx, position);
    return { read: next.length, told: rows.length };
  };

  const turn = async (): Promise<number> => {
    const { read, told } = await database.system.write(async (tx) => {
      const feed = await store.lockFeed(tx);
      return feed ? follow(tx, feed) : { read: 0, told: 0 };
    });
    if (told > 0) accepted.notify();
    return read;
  };

  return {
    /** Reads what came since the last turn, and returns the number of events that it looked at. */
    turn,
    worker: pollingWorker({ name: 'notifier.platform', pollMs: POLL_MS, hints: hints.of(...ENTITIES), log, turn }),
  };
};
