import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { formatCursor, parseCursor } from '@landfall/kernel/events/read';
import { correlationHeader } from '@landfall/kernel/http/request-headers';
import { lastEventId, openSse, type SseWriter } from '@landfall/kernel/http/sse';
import { admit } from '@landfall/kernel/operation/operation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { corsHeadersOf } from '../http/cors.ts';
import type { Identify } from '../http/listener.ts';
import type { Change, ChangeFeed } from './change-feed.ts';
import type { HorizonWatch } from './horizon-watch.ts';

/** Limit of buffered bytes of a stream; a slower client is disconnected and catches up by reconnecting. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** Limit of streams of one caller in each process: more than a person has open tabs. */
const MAX_STREAMS = 20;
const HEARTBEAT_MS = 15_000;
/** Backlog in seconds from which a stream is told that it is behind; transactions of the product are shorter. */
const MAX_LAG_SECONDS = 5;

/** Scopes of the stream: one that reads any of the notices' subjects suffices. */
const FOLLOW = { name: 'changes.follow', scope: ['release:read', 'orch:read', 'authority:admin'] } as const;

interface ChangesOptions {
  readonly feed: ChangeFeed;
  readonly identify: Identify;
  /** Checks whether the caller of an open stream is still authorised, at each heartbeat. */
  readonly identifyStream: Identify;
  readonly heartbeatMs?: number;
  readonly horizon: HorizonWatch;
}

/** Open streams of a process. */
export interface ChangeStreams {
  /** Ends all streams; clients reconnect to another process. */
  close(): void;
}

const followerOf = async (identify: Identify, request: FastifyRequest): Promise<Who> =>
  admit(await identify(request), { ...FOLLOW, callers: ['user', 'client'] });

const lastEventIdOf = ({ headers }: FastifyRequest) => {
  const eventId = lastEventId(headers);
  const after = eventId === undefined ? undefined : parseCursor(eventId);
  if (eventId !== undefined && !after)
    throw new Fault('VAL_INVALID_FORMAT', 'Last-Event-ID is none of this feed.', { header: 'last-event-id' });
  return after;
};

/** Counts streams by caller, so that one caller cannot use them all. */
const createConnectionLimit = () => {
  const connections = new Map<string, number>();
  return {
    /** Reserves a stream and returns its release. Throws SYS_OVERLOADED if the caller has MAX_STREAMS. */
    acquire({ tenant, subject }: Who): () => void {
      const key = JSON.stringify([tenant, subject]);
      const count = connections.get(key) ?? 0;
      if (count >= MAX_STREAMS)
        throw new Fault('SYS_OVERLOADED', 'Too many change streams of this caller are open.', { limit: MAX_STREAMS });
      connections.set(key, count + 1);
      return () => {
        const remaining = (connections.get(key) ?? 0) - 1;
        if (remaining > 0) connections.set(key, remaining);
        else connections.delete(key);
      };
    },
  };
};

const send = (stream: SseWriter, { cursor, type, id, version }: Change): Promise<void> =>
  stream.send({ id: formatCursor(cursor), data: JSON.stringify({ type, id, version }) });

/** Sends `event: behind` with `{seconds}` when the backlog changes, 0 up to `MAX_LAG_SECONDS`; returns a function to stop it. */
const reportLag = (horizon: HorizonWatch, stream: SseWriter): (() => void) => {
  let announcedSeconds = 0;
  const sendLag = (backlog: number): void => {
    const seconds = backlog > MAX_LAG_SECONDS ? Math.round(backlog) : 0;
    if (seconds === announcedSeconds) return;
    announcedSeconds = seconds;
    void stream.send({ event: 'behind', data: JSON.stringify({ seconds }) });
  };
  sendLag(horizon.lag().backlog);
  return horizon.follow(({ backlog }) => sendLag(backlog));
};

/** Registers `GET /changes`, resumed by `Last-Event-ID`; a stream ends when its caller is no longer authorised. */
export const registerChanges = async (app: FastifyInstance, options: ChangesOptions): Promise<ChangeStreams> => {
  const { feed, identify, identifyStream, horizon, heartbeatMs = HEARTBEAT_MS } = options;
  const streams = new Set<SseWriter>();
  const connections = createConnectionLimit();

  await app.register(async (scope) => {
    scope.get('/changes', async (request, reply) => {
      const caller = await followerOf(identify, request);
      const after = lastEventIdOf(request);
      using stack = new DisposableStack();
      stack.defer(connections.acquire(caller));
      const subscription = stack.use(
        await feed.subscribe({
          tenant: caller.tenant,
          after,
          onChange: (change) => send(stream, change),
          onLost: () => stream.close(),
        }),
      );
      reply.hijack();
      const stream = openSse(reply.raw, {
        heartbeatMs,
        onHeartbeat: () => followerOf(identifyStream, request).catch(() => stream.close()),
        maxBufferedBytes: MAX_BUFFERED_BYTES,
        headers: { [correlationHeader]: request.id, ...corsHeadersOf(reply) },
      });
      // An id to resume from, before anything has changed.
      void stream.send({ event: 'ready', id: formatCursor(subscription.from), data: '{}' });
      streams.add(stream);
      stack.defer(() => streams.delete(stream));
      stack.defer(reportLag(horizon, stream));
      const open = stack.move();
      stream.signal.addEventListener('abort', () => open.dispose());
      if (request.raw.socket.destroyed) open.dispose();
    });
  });

  return {
    close: () => {
      for (const stream of streams) stream.close();
    },
  };
};
