import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Caller } from './caller.ts';

/** The process's log: JSON lines on standard output. */
export type Log = Logger;

const secrets = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'dpop',
  'password',
  'secret',
  'client_secret',
  'clientsecret',
  'token',
  'access_token',
  'accesstoken',
  'refresh_token',
  'refreshtoken',
  'id_token',
  'idtoken',
  'code_verifier',
]);

const maxDepth = 6;

// Dates, errors and the like know how to write themselves.
const isPlain = (value: object): value is Readonly<Record<string, unknown>> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

// pino's own redaction by path takes 50 µs a line for this many names at three depths; this walk takes one.
const redacted = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, depth + 1));
  return isPlain(value) ? redactedMembers(value, depth) : value;
};

const redactedMembers = (value: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> => {
  const clean: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value))
    clean[key] = secrets.has(key.toLowerCase()) ? '[redacted]' : redacted(member, depth + 1);
  return clean;
};

/** As much as waits for the end of a turn (sonic-boom writes 16 KiB at most at a time). */
const TURN_CHARACTERS = 15 * 1024;

/**
 * Standard output, once a turn of the event loop: under load one write takes the lines of many requests along. What is
 * not yet written when the process exits, for whatever reason of its own, is written then. The lines are gathered here
 * and not in the destination, whose flush also waits for the disk when standard output is a file.
 */
const standardOutput = (): DestinationStream => {
  const output = destination({ dest: 1, sync: true });
  let waiting = '';
  const flush = (): void => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') output.write(lines);
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
      if (waiting.length >= TURN_CHARACTERS) flush();
    },
  };
};

/** A log at a level. What is secret by its name is replaced, wherever it stands in what is logged. */
export const createLog = (
  options: { level: string; role?: string },
  output: DestinationStream = standardOutput(),
): Log =>
  pino(
    {
      level: options.level,
      base: options.role === undefined ? null : { role: options.role },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (line) => redactedMembers(line, 0) },
    },
    output,
  );

/** For tests, and for libraries that must be given a log. */
export const silentLog: Log = pino({ level: 'silent' });

/** What is known of a request when its answer has been sent. */
export interface Served {
  readonly method: string;
  /** The route's pattern, never the path itself: some paths carry one-time tokens. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly correlationId: string;
  readonly caller?: Caller | undefined;
  /** Of a route that machines ask all the time. */
  readonly isBeat?: boolean;
  /** The original of what the client was told as a system fault. */
  readonly error?: unknown;
}

/**
 * The one line a request. A failure of ours is an error and carries its cause; everything else is information, but for
 * what machines ask all the time: answered as it should be, it is told to whoever debugs.
 */
export const logRequest = (log: Log, { caller, error, durationMs, isBeat = false, ...request }: Served): void => {
  const isNews = !isBeat || request.status >= 400;
  if (!isNews && !log.isLevelEnabled('debug')) return;
  const line = {
    ...request,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(caller && { tenant: caller.tenant, subject: caller.subject, clientId: caller.clientId }),
  };
  if (request.status >= 500) log.error({ ...line, err: error }, 'request');
  else log[isNews ? 'info' : 'debug'](line, 'request');
};
