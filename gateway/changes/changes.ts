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

/** A notice is some 150 bytes: whoever lags this far behind is faster when it comes again. */
const MAX_BUFFERED_BYTES = 256 * 1024;
/** More than a person has tabs on screen. Counted in each process. */
const MAX_STREAMS = 20;
const HEARTBEAT_MS = 15_000;
/** Seconds of backlog from which a stream is told that it is behind: a slow transaction of ours takes less. */
const BEHIND = 5;

/** Each of these reads something that notices are about; who reads nothing is told nothing. */
const FOLLOW = { name: 'changes.follow', scope: ['release:read', 'orch:read', 'authority:admin'] } as const;

interface ChangesOptions {
  readonly feed: ChangeFeed;
  readonly identify: Identify;
  /** Whether the caller of an open stream is still let in; asked at each heartbeat. */
  readonly identifyStream: Identify;
  readonly heartbeatMs?: number;
  readonly horizon: HorizonWatch;
}

/** The open streams of a process. */
export interface ChangeStreams {
  /** Ends them all; each client comes again, to a process that stays. */
  close(): void;
}

const followerOf = async (identify: Identify, request: FastifyRequest): Promise<Who> =>
  admit(await identify(request), { ...FOLLOW, callers: ['user', 'client'] });

const seenBy = ({ headers }: FastifyRequest) => {
  const seen = lastEventId(headers);
  const after = seen === undefined ? undefined : parseCursor(seen);
  if (seen !== undefined && !after)
    throw new Fault('VAL_INVALID_FORMAT', 'Last-Event-ID is none of this feed.', { header: 'last-event-id' });
  return after;
};

/** Streams by their caller, so that nobody holds them all. */
const createPlaces = () => {
  const taken = new Map<string, number>();
  return {
    /** @throws Fault SYS_OVERLOADED */
    take({ tenant, subject }: Who): () => void {
      const key = JSON.stringify([tenant, subject]);
      const count = taken.get(key) ?? 0;
      if (count >= MAX_STREAMS)
        throw new Fault('SYS_OVERLOADED', 'Too many change streams of this caller are open.', { limit: MAX_STREAMS });
      taken.set(key, count + 1);
      return () => {
        const left = (taken.get(key) ?? 0) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
};

const send = (stream: SseWriter, { cursor, type, id, version }: Change): Promise<void> =>
  stream.send({ id: formatCursor(cursor), data: JSON.stringify({ type, id, version }) });

/**
 * Tells a stream how far it is behind, as `event: behind` with `{seconds}`: at each measurement while events wait for
 * the horizon, and once with 0 when they do not any more. Returns what ends it.
 */
const tellBehind = (horizon: HorizonWatch, stream: SseWriter): (() => void) => {
  let told = 0;
  const tell = (backlog: number): void => {
    const seconds = backlog > BEHIND ? Math.round(backlog) : 0;
    if (seconds === told) return;
    told = seconds;
    void stream.send({ event: 'behind', data: JSON.stringify({ seconds }) });
  };
  tell(horizon.lag().backlog);
  return horizon.follow(({ backlog }) => tell(backlog));
};

/**
 * `GET /changes`: what happened to the caller's tenant, as `{type, id, version}`, resumed by `Last-Event-ID`. A stream
 * ends when its caller would not be let in any more: the token has expired or was revoked, the session has ended.
 */
export const registerChanges = async (app: FastifyInstance, options: ChangesOptions): Promise<ChangeStreams> => {
  const { feed, identify, identifyStream, horizon, heartbeatMs = HEARTBEAT_MS } = options;
  const streams = new Set<SseWriter>();
  const places = createPlaces();

  await app.register(async (scope) => {
    scope.get('/changes', async (request, reply) => {
      const who = await followerOf(identify, request);
      const after = seenBy(request);
      using stack = new DisposableStack();
      stack.defer(places.take(who));
      const subscription = stack.use(
        await feed.subscribe({
          tenant: who.tenant,
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
      // An id to come back with, before anything has changed.
      void stream.send({ event: 'ready', id: formatCursor(subscription.from), data: '{}' });
      streams.add(stream);
      stack.defer(() => streams.delete(stream));
      stack.defer(tellBehind(horizon, stream));
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
