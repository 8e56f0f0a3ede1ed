import { failure } from '../protocol/failure.ts';
import type { Log } from '../protocol/log.ts';
import type { Assignment, HeartbeatResponse, Lease, LogLines, Report, StepReport, Task } from '../protocol/messages.ts';
import type { Journal, JournalEntry } from '../state/journal.ts';
import type { Targets } from '../targets/targets.ts';
import { createLiveLog } from './live-log.ts';
import { createReporter } from './reporter.ts';
import type { TaskControl } from './rollout-steps.ts';

type RunningTask = Readonly<{
  task: Task;
  controller: AbortController;
  ended: Promise<void>;
  /** Moves the deadline of the task, as the server says. */
  postpone(deadline: string, now: string): void;
}> & { validUntil: number };

type Deps = Readonly<{
  apply(task: Task, control: TaskControl): Promise<StepReport>;
  journal: Journal;
  targets: Pick<Targets, 'exclusive'>;
  send(report: Report, signal: AbortSignal): Promise<void>;
  sendLog(lines: LogLines, signal: AbortSignal): Promise<void>;
  clock: { now(): Date };
  /** Called when a task ended and no other one is running. */
  onIdle(): Promise<void>;
  log: Log;
  closing: AbortSignal;
}>;

const keyOf = ({ taskId, fence }: Lease): string => `${taskId}.${fence}`;

const leaseLost = (raw: string) => failure('AGT_HEARTBEAT_TIMEOUT', 'lease-lost', raw);

/** Serialises the writes of one task's journal entry. */
const createEntryWriter = (journal: Journal, first: JournalEntry) => {
  let entry = first;
  let tail: Promise<void> = Promise.resolve();
  return (changes: Partial<JournalEntry>): Promise<void> => {
    entry = { ...entry, ...changes };
    const next = entry;
    tail = tail.then(() => journal.write(next));
    return tail;
  };
};

/**
 * Creates an alarm at a deadline of the server's clock, given the server's present time; setting it again replaces it.
 */
const createAlarm = (ring: (deadline: string) => void) => {
  let timer: NodeJS.Timeout | undefined;
  return {
    set(deadline: string, now: string): void {
      clearTimeout(timer);
      const leftMs = Math.max(0, Date.parse(deadline) - Date.parse(now));
      timer = setTimeout(() => ring(deadline), Math.min(leftMs, 2 ** 31 - 1));
    },
    clear: (): void => clearTimeout(timer),
  };
};

/**
 * Creates the runner of this agent's tasks. A task lives by its lease: each heartbeat renews it, counted from the time
 * the heartbeat was sent by this host's monotonic clock; after its end no further side effect begins.
 */
export const createTaskRunner = ({ apply, journal, targets, send, sendLog, clock, onIdle, log, closing }: Deps) => {
  const leased = new Map<string, RunningTask>();
  const interrupted = new Map<string, JournalEntry>();

  const runTask = async (
    first: JournalEntry,
    state: Pick<RunningTask, 'controller'>,
    check: () => void,
  ): Promise<void> => {
    const { task } = first;
    const keep = createEntryWriter(journal, first);
    const { signal } = state.controller;
    const silenced = new AbortController();
    const reporter = createReporter({
      task,
      seq: first.seq,
      send,
      keep: (seq) => keep({ seq }),
      signal: AbortSignal.any([closing, silenced.signal]),
    });
    reporter.lost.catch((error: unknown) => state.controller.abort(error));
    const liveLog = createLiveLog({
      task,
      send: (lines) => sendLog(lines, closing),
      now: () => clock.now(),
      signal: closing,
    });
    await keep({});
    const end = await targets.exclusive(task.targetId, () =>
      apply(task, {
        before: async (step) => {
          check();
          await keep({ step });
        },
        report: reporter.report,
        settled: async () => {
          await reporter.settled();
          check();
        },
        follow: liveLog.follow,
        signal: AbortSignal.any([signal, closing]),
      }),
    );
    // Not awaited: the end of the task must not wait for its last log lines.
    void liveLog.end();
    if (closing.aborted) return;
    const isLost = end.step === 'failed' && end.errorClass === 'lease-lost';
    if (isLost) silenced.abort();
    else reporter.report(end);
    // A refused report is final: the task belongs to another agent's lease.
    await reporter
      .settled()
      .catch((error: unknown) => log('report.refused', { taskId: task.taskId, error: String(error) }));
    if (!closing.aborted) await journal.remove(task);
    log('task.ended', { taskId: task.taskId, step: end.step, ...('raw' in end ? { raw: end.raw } : {}) });
  };

  const begin = (entry: JournalEntry, now: string, validUntil: number): void => {
    const { task } = entry;
    const controller = new AbortController();
    const alarm = createAlarm((deadline) =>
      controller.abort(failure('DEPLOY_TIMEOUT', 'deadline', `the deadline ${deadline} has passed`)),
    );
    alarm.set(task.deadline, now);
    const check = (): void => {
      if (performance.now() >= (leased.get(keyOf(task))?.validUntil ?? 0))
        throw leaseLost('the lease was not renewed in time');
    };
    const { promise: finished, resolve } = Promise.withResolvers<void>();
    leased.set(keyOf(task), { task, controller, validUntil, ended: finished, postpone: alarm.set });
    runTask(entry, { controller }, check)
      .catch((error: unknown) => log('task.broke', { taskId: task.taskId, error: String(error) }))
      .then(async () => {
        alarm.clear();
        leased.delete(keyOf(task));
        if (leased.size === 0) await onIdle();
      })
      .catch((error: unknown) => log('idle.failed', { error: String(error) }))
      .finally(resolve);
  };

  const findIn = <L extends Lease>(leases: readonly L[], { taskId, fence }: Lease): L | undefined =>
    leases.find((lease) => lease.taskId === taskId && lease.fence === fence);

  return {
    count: (): number => leased.size,

    leases: (): Lease[] =>
      [...leased.values(), ...interrupted.values()].map(({ task: { taskId, fence } }) => ({ taskId, fence })),

    /** Restores the tasks of an earlier run; they continue only if the server still leases them to this agent. */
    remember(entries: readonly JournalEntry[]): void {
      for (const entry of entries) interrupted.set(keyOf(entry.task), entry);
    },

    /** Starts a task; `requestedAt` is when the poll was sent, on the monotonic clock. */
    accept({ task, now, leaseMs }: Assignment, requestedAt: number): void {
      for (const each of leased.values())
        if (each.task.taskId === task.taskId) each.controller.abort(leaseLost('the task was leased again'));
      log('task.taken', { taskId: task.taskId, fence: task.fence });
      begin({ task, step: 'leased', seq: 0 }, now, requestedAt + leaseMs);
    },

    /** Applies the answer to a heartbeat that was sent at `sentAt` with the leases `claimed`. */
    async renew(
      { cancel, leases, leaseMs, now }: HeartbeatResponse,
      claimed: readonly Lease[],
      sentAt: number,
    ): Promise<void> {
      // The response is about the claims of the heartbeat: a task that was leased again since then has a newer fence
      // and is not affected.
      for (const each of leased.values()) {
        const renewed = findIn(leases, each.task);
        if (renewed) {
          each.validUntil = sentAt + leaseMs;
          if (renewed.deadline !== undefined) each.postpone(renewed.deadline, now);
        } else if (findIn(claimed, each.task))
          each.controller.abort(leaseLost('the server gave the task to nobody or another'));
      }
      for (const [key, entry] of interrupted) {
        interrupted.delete(key);
        const renewed = findIn(leases, entry.task);
        if (!renewed || cancel.includes(entry.task.taskId)) {
          await journal.remove(entry.task);
          continue;
        }
        const { deadline = entry.task.deadline } = renewed;
        begin({ ...entry, task: { ...entry.task, deadline } }, now, sentAt + leaseMs);
      }
    },

    /** Resolves when every task has ended. */
    drained: async (): Promise<void> => {
      await Promise.all([...leased.values()].map(({ ended: completed }) => completed));
    },
  };
};
