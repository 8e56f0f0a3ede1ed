import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';

/** Connection as the liveness monitor sees it. */
export interface Link {
  /** Sending time of the oldest statement without an answer, on the monotonic clock; undefined without one. */
  readonly silentSince: number | undefined;
  /** Bytes that arrived so far. */
  readonly bytesRead: number;
  /** Process id of the server's backend, once known. */
  readonly pid: number | undefined;
  /** Destroys the connection, so that waiting statements fail at once. */
  abandon(): void;
}

export interface LivenessOptions {
  /** Age in milliseconds from which an unanswered statement triggers a probe. */
  readonly silenceMs?: number;
  /** Time limit of a probe in milliseconds. */
  readonly probeMs?: number;
}

const TICK_MS = 250;
/** Minimum pause in milliseconds between two probes of a responsive database. */
const PAUSE_MS = 1_000;
/** Time limit in milliseconds behind a pooler, which hides the backend's activity. Longer than statement_timeout. */
const MAX_MS = 40_000;

const STATES = `
  select pid, state = 'active' as "isActive" from pg_stat_activity where pid = any($1::integer[])`;

/** Time of the second probe as a share of the first: the silence and both probes together stay below six seconds. */
const SECOND_SHARE = 0.75;

/** Ends the backends of abandoned connections, except a later backend that reuses the pid. */
const TERMINATE = `
  select pg_terminate_backend(pid) from unnest($1::integer[], $2::float8[]) as orphan (pid, age)
  join pg_stat_activity using (pid)
  where usename = session_user and application_name in ('landfall_app', 'landfall_system')
    and backend_start < clock_timestamp() - make_interval(secs => age)`;

/** A socket path has no network that could swallow anything, but a busy machine. */
const isLocal = ({ host, connectionString }: pg.ClientConfig): boolean =>
  host?.startsWith('/') ?? /[?&]host=(%2F|\/)/i.test(connectionString ?? '');

const unreachable = (): Error => Object.assign(new Error('The database does not answer.'), { code: 'ETIMEDOUT' });

/** Whether the server answered, even with an error. */
const isSignOfLife = (error: unknown): boolean => error instanceof pg.DatabaseError;

/** Abandoned connection whose backend may still exist. */
interface Orphan {
  readonly pid: number;
  /** Time at which it certainly belonged to the connection, on the monotonic clock. */
  readonly at: number;
}

interface Probe {
  readonly isReachable: boolean;
  /** Whether each backend executes a statement, by pid; an absent pid has ended or belongs to another user. */
  readonly states: ReadonlyMap<number, boolean>;
}

/** Opens a connection with a deadline, reads the backends' activity and ends those of abandoned connections. */
const probe = async (
  connection: pg.ClientConfig,
  pids: readonly number[],
  { orphans, probeMs }: { readonly orphans: readonly Orphan[]; readonly probeMs: number },
): Promise<Probe> => {
  const socket = new Socket();
  const client = new pg.Client({ ...connection, stream: () => socket, application_name: 'landfall_probe' });
  client.on('error', () => {});
  let isLate = false;
  const timer = setTimeout(async () => {
    // A response that arrived while this process was busy is read first.
    await turn();
    await turn();
    isLate = true;
    socket.destroy();
  }, probeMs);
  try {
    await client.connect();
    if (orphans.length > 0) {
      const ages = orphans.map(({ at }) => (performance.now() - at) / 1_000);
      await client.query(TERMINATE, [orphans.map(({ pid }) => pid), ages]);
    }
    const { rows } = await client.query<{ pid: number; isActive: boolean | null }>(STATES, [pids]);
    const known = rows.flatMap(({ pid, isActive }) => (isActive === null ? [] : [[pid, isActive] as const]));
    return { isReachable: true, states: new Map(known) };
  } catch (error) {
    return { isReachable: !isLate && isSignOfLife(error), states: new Map() };
  } finally {
    clearTimeout(timer);
    client.end().catch(() => {});
    setTimeout(() => socket.destroy(), 1_000).unref();
  }
};

/**
 * Watches the connections of a process. A statement without a response for long makes it open a probe connection.
 * Without a response to that one, nor to a second one where other connections get responses, the database is
 * unreachable: every statement and every caller fails at once instead of waiting. With a response, connections whose
 * server process does not work on the statement are closed, and statements that only take long continue. Probes several
 * times a second until the database is reachable again.
 */
export const createLiveness = (
  connection: pg.ClientConfig,
  { silenceMs = 2_000, probeMs = isLocal(connection) ? 15_000 : 2_000 }: LivenessOptions = {},
) => {
  const links = new Set<Link>();
  const listeners: (() => void)[] = [];
  let orphans: Orphan[] = [];
  let isReachable = true;
  let isSuspect = false;
  let isProbing = false;
  let probedAt = Number.NEGATIVE_INFINITY;

  const silent = (ms: number): { link: Link; since: number; bytesRead: number }[] => {
    const due = performance.now() - ms;
    return [...links].flatMap((link) => {
      const { silentSince: since, bytesRead } = link;
      return since !== undefined && since <= due ? [{ link, since, bytesRead }] : [];
    });
  };

  const abandon = (link: Link): void => {
    if (link.pid !== undefined) orphans.push({ pid: link.pid, at: link.silentSince ?? performance.now() });
    links.delete(link);
    link.abandon();
  };

  const lose = (): void => {
    isReachable = false;
    for (const link of [...links]) abandon(link);
    for (const lost of listeners) lost();
  };

  /** Probes the database. A failed probe is repeated once while other statements are answered. */
  const ask = async (pids: readonly number[], completed: readonly Orphan[]): Promise<Probe> => {
    const read = new Map([...links].map((link) => [link, link.bytesRead] as const));
    const first = await probe(connection, pids, { orphans: completed, probeMs });
    const isHeard = [...links].some((link) => link.bytesRead > (read.get(link) ?? 0));
    if (first.isReachable || !isReachable || !isHeard) return first;
    return probe(connection, pids, { orphans: completed, probeMs: probeMs * SECOND_SHARE });
  };

  const look = async (): Promise<void> => {
    const before = silent(silenceMs);
    const completed = orphans;
    const pids = before.flatMap(({ link: { pid } }) => pid ?? []);
    const found = await ask(pids, completed);
    isSuspect = false;
    if (!found.isReachable) {
      if (isReachable) lose();
      return;
    }
    isReachable = true;
    orphans = orphans.filter((orphan) => !completed.includes(orphan));
    const delayed = performance.now() - MAX_MS;
    for (const { link, since, bytesRead } of before) {
      if (!links.has(link) || link.silentSince !== since || link.bytesRead !== bytesRead) continue;
      const isActive = link.pid === undefined ? undefined : found.states.get(link.pid);
      if (isActive === false || (isActive === undefined && since < delayed)) abandon(link);
    }
  };

  const tick = async (): Promise<void> => {
    if (isProbing) return;
    const isDue = performance.now() - probedAt >= PAUSE_MS && silent(silenceMs).length > 0;
    if (isReachable && !isSuspect && orphans.length === 0 && !isDue) return;
    isProbing = true;
    try {
      await look();
    } finally {
      probedAt = performance.now();
      isProbing = false;
    }
  };

  const timer = setInterval(() => void tick(), TICK_MS).unref();

  return {
    /** @throws Error (an outage) while the database is known to be out of reach */
    assertReachable(): void {
      if (!isReachable) throw unreachable();
    },
    /** Requests an immediate probe, after a connection attempt timed out. */
    suspect(): void {
      isSuspect = true;
    },
    watch: (link: Link): void => void links.add(link),
    unwatch: (link: Link): void => void links.delete(link),
    /** Calls `lost` when the database is found to be out of reach. */
    onLost: (lost: () => void): void => void listeners.push(lost),
    close: (): void => clearInterval(timer),
  };
};

export type Liveness = ReturnType<typeof createLiveness>;
