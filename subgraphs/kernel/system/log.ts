import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Caller } from '../core/caller.ts';

/** Log of the process: JSON lines on standard output. */
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

// Dates, errors and similar objects have a JSON form of their own.
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

/** Upper bound of gathered characters (sonic-boom writes 16 KiB at a time). */
const MAX_CHARACTERS = 15 * 1024;
/** Time that information waits for more of it. */
const WAIT_MS = 20;

/** Levels that must not be lost with a process that is killed: all but information. */
const isUnbuffered = (line: string): boolean => !/^\{"level":"(?:info|debug|trace)"/.test(line);

/**
 * Standard output as a buffered log destination. Under load one write carries the lines of many requests; warnings
 * and errors are flushed at once, and the rest at process exit. The buffer is separate from pino's destination,
 * whose flush waits for the disk when the output is a file.
 */
const standardOutput = (): DestinationStream => {
  const output = destination({ dest: 1, sync: true });
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    const lines = waiting;
    waiting = '';
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') output.write(lines);
  };
  process.once('exit', flush);
  return {
    write(line) {
      waiting += line;
      if (waiting.length >= MAX_CHARACTERS || isUnbuffered(line)) flush();
      else timer ??= setTimeout(flush, WAIT_MS).unref();
    },
  };
};

/** Writes the line of a successful request. */
type WriteServed = (level: 'info' | 'debug', served: Omit<Served, 'error' | 'isBeat'>) => void;

/** Serial number of the logs made here. */
const writers = new WeakMap<Log, WriteServed>();

/** Creates a log. Values whose name marks them as secret are redacted at any depth. */
export const createLog = (
  options: { level: string; role?: string },
  output: DestinationStream = standardOutput(),
): Log => {
  const log: Log = pino(
    {
      level: options.level,
      base: options.role === undefined ? null : { role: options.role },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (line) => redactedMembers(line, 0) },
    },
    output,
  );
  writers.set(log, servedWriter(options.role, output));
  return log;
};

/** Log that writes nothing, for tests and for libraries that require one. */
export const silentLog: Log = pino({ level: 'silent' });

/** JSON of a text that is nearly always as plain as an id. */
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

const PLAIN = /^[\w .:*/@+-]*$/;

/** Writes a request's line like pino in a quarter of the time: its members are fixed and not secret. */
const servedWriter = (role: string | undefined, output: DestinationStream): WriteServed => {
  const base = role === undefined ? '' : `,"role":${quoted(role)}`;
  let [second, date] = [Number.NaN, ''];
  /** The date and time to the second is the same for many requests. */
  const timeOf = (index: number): string => {
    const now = Math.floor(index / 1_000);
    if (now !== second) [second, date] = [now, new Date(index).toISOString().slice(0, -4)];
    return `${date}${String(index % 1_000).padStart(3, '0')}Z`;
  };
  return (level, { method, route, status, correlationId, durationMs, caller }) => {
    const rounded = Math.round(durationMs * 10) / 10;
    const tenant = caller?.tenant === undefined ? '' : `,"tenant":${quoted(caller.tenant)}`;
    const subject = caller ? `${tenant},"subject":${quoted(caller.subject)},"clientId":${quoted(caller.clientId)}` : '';
    output.write(
      `{"level":"${level}","time":"${timeOf(Date.now())}"${base},"method":${quoted(method)},"route":${quoted(route)},"status":${status},"correlationId":${quoted(correlationId)},"durationMs":${rounded}${subject},"msg":"request"}\n`,
    );
  };
};

/** Facts of a request whose answer has been sent. */
export interface Served {
  readonly method: string;
  /** The route's pattern, never the path itself: some paths carry one-time tokens. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly correlationId: string;
  readonly caller?: Caller | undefined;
  /** Whether machines ask the route all the time. */
  readonly isBeat?: boolean;
  /** Original error of a system fault. */
  readonly error?: unknown;
}

/** Status of a feature that is not offered (RFC 9110 15.6.2), which is no failure of ours. */
const isFailure = ({ status }: Pick<Served, 'status'>): boolean => status >= 500 && status !== 501;

/** Logs a request in one line: our failures as errors, successful periodic requests as debug, others as info. */
export const logRequest = (
  log: Log,
  { caller, error, durationMs, isBeat: isHeartbeat = false, ...request }: Served,
): void => {
  const isNews = !isHeartbeat || request.status >= 400;
  const level = isNews ? 'info' : 'debug';
  const hasFailed = isFailure(request);
  if (!hasFailed && !log.isLevelEnabled(level)) return;
  const write = hasFailed ? undefined : writers.get(log);
  if (write) {
    write(level, { ...request, caller, durationMs });
    return;
  }
  const line = {
    ...request,
    durationMs: Math.round(durationMs * 10) / 10,
    ...(caller && { tenant: caller.tenant, subject: caller.subject, clientId: caller.clientId }),
  };
  if (hasFailed) log.error({ ...line, err: error }, 'request');
  else log[level](line, 'request');
};
