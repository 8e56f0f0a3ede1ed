import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, request } from 'undici';
import { failure } from '../protocol/failure.ts';
import type { Task } from '../protocol/messages.ts';

type ProbeResult = Readonly<{ status: number; elapsedMs: number }>;

type Ask = Readonly<{
  port: number;
  probe: Task['probe'];
  /** Whether the process still runs; null if unknown. The probe stops when it has ended. */
  isAlive(): Promise<boolean | null>;
  /**
   * Whether the answer may come from the process itself: another process can have taken its port before it listened.
   */
  mayOwnPort(): Promise<boolean>;
  /** Monotonic time in milliseconds, by which the timeout passes. */
  monotonicMs(): number;
  signal: AbortSignal;
}>;

const unhealthy = (raw: string) => failure('DEPLOY_HEALTH_CHECK_FAILED', 'probe-failed', raw);

const silent = 'no answer';

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Requests `path` until it answers 2xx or the timeout passes. Raises DEPLOY_HEALTH_CHECK_FAILED with the last answer.
 */
export const probe = async (dispatcher: Agent, ask: Ask): Promise<ProbeResult> => {
  const { port, probe: how, isAlive, mayOwnPort, monotonicMs, signal } = ask;
  const startedMs = monotonicMs();
  const url = `http://127.0.0.1:${port}${how.path}`;
  let last: string = silent;
  for (;;) {
    const leftMs = how.timeoutMs - (monotonicMs() - startedMs);
    if (leftMs <= 0) throw unhealthy(`GET ${how.path}: ${last} after ${how.timeoutMs} ms`);
    const ended = AbortSignal.timeout(Math.ceil(leftMs));
    try {
      const limited = AbortSignal.any([signal, ended]);
      const answer = await request(url, { dispatcher, signal: limited, headers: { connection: 'close' } });
      const body = await answer.body.text();
      const isGreen = answer.statusCode >= 200 && answer.statusCode < 300;
      if (isGreen && (await mayOwnPort()))
        return { status: answer.statusCode, elapsedMs: Math.round(monotonicMs() - startedMs) };
      last = isGreen
        ? `another process answers on port ${port}`
        : `${answer.statusCode} ${body.slice(0, 256)}`.trimEnd();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // The last response says more than the expiry of our own time limit.
      if (!ended.aborted || last === silent) last = wordsOf(error);
    }
    if ((await isAlive()) === false)
      throw unhealthy(`GET ${how.path}: the process ended before it was healthy (${last})`);
    await sleep(how.intervalMs, undefined, { signal });
  }
};
