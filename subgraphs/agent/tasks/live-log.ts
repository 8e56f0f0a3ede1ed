import { setTimeout as sleep } from 'node:timers/promises';
import { createTail, type Tail } from '../driver/log-tail.ts';
import { MAX_LOG_LINE, MAX_LOG_LINES } from '../protocol/limits.ts';
import type { LogLines, Task, TaskSecrets } from '../protocol/messages.ts';
import { redact } from '../secrets/redaction.ts';

/** Limit of lines that wait to be sent; beyond it the oldest are dropped and counted. */
const maxWaiting = 8 * MAX_LOG_LINES;
const everyMs = 1_000;

type Line = LogLines['lines'][number];

/** Log file of a process, and the secrets to redact from it. */
export type LogSource = Readonly<{ component: string; path: string; secrets: TaskSecrets }>;

type Options = Readonly<{
  task: Pick<Task, 'taskId' | 'fence'>;
  send(message: LogLines): Promise<void>;
  now(): Date;
  signal: AbortSignal;
}>;

const shortened = (text: string): string =>
  text.length > MAX_LOG_LINE ? `${text.slice(0, MAX_LOG_LINE - 1).toWellFormed()}…` : text;

/** Creates the live log, which sends a task's output at most once a second until the first message is refused. */
export const createLiveLog = ({ task: { taskId, fence }, send, now, signal }: Options) => {
  const sources: (LogSource & { readonly tail: Tail })[] = [];
  const end = new AbortController();
  const finished = AbortSignal.any([signal, end.signal]);
  let waiting: Line[] = [];
  let dropped = 0;
  // After a restart under the same lease numbers continue above the earlier ones: a message takes a second at least.
  let seq = Math.floor(now().getTime() / everyMs);
  let following: Promise<void> | undefined;

  const collect = async (): Promise<void> => {
    for (const { component, secrets, tail } of sources) {
      const { lines, skipped } = await tail.read();
      dropped += skipped;
      const at = now().toISOString();
      for (const text of redact(secrets, lines).text.split('\n').slice(0, -1))
        waiting.push({ component, text: shortened(text), at });
    }
    if (waiting.length > maxWaiting) {
      dropped += waiting.length - maxWaiting;
      waiting = waiting.slice(-maxWaiting);
    }
  };

  const flush = async (): Promise<void> => {
    await collect();
    if (waiting.length === 0 && dropped === 0) return;
    seq += 1;
    const message = { taskId, fence, seq, lines: waiting.splice(0, MAX_LOG_LINES), dropped };
    dropped = 0;
    await send(message);
  };

  const follow = async (): Promise<void> => {
    while (!finished.aborted) {
      await flush();
      await sleep(everyMs, undefined, { signal: finished }).catch(() => undefined);
    }
    if (!signal.aborted) await flush();
  };

  return {
    follow(source: LogSource): void {
      sources.push({ ...source, tail: createTail(source.path) });
      following ??= follow().catch(() => undefined);
    },
    /** Sends the rest, up to one message. Resolves when nothing more will be sent. */
    async end(): Promise<void> {
      end.abort();
      await following;
    },
  };
};
