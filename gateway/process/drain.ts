import type { Log } from '@landfall/kernel/system/log';

/** Step of stopping a process. */
export interface Step {
  readonly name: string;
  close(): Promise<unknown>;
}

interface DrainOptions {
  /** Limit for the first phase, and for all later ones together, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/**
 * Stops a process in phases: first what accepts work, then work in progress, then what both need. Steps of a phase run
 * in parallel. A step that fails or times out does not stop the others, since the database must be closed. A step
 * listed twice runs once and is reported as a mistake. Steps that all hang end after twice the limit: whoever stops the
 * process must not kill it before its database is closed.
 * @returns whether all steps succeeded
 */
export const drain = async (
  phases: readonly (readonly Step[])[],
  { timeoutMs, log }: DrainOptions,
): Promise<boolean> => {
  const end = async ({ name, close }: Step, delayed: Promise<'late'>): Promise<boolean> => {
    try {
      const outcome = await Promise.race([close(), delayed]);
      if (outcome === 'late') log.error({ step: name }, 'did not end in time');
      return outcome !== 'late';
    } catch (error) {
      log.error({ step: name, err: error }, 'did not end well');
      return false;
    }
  };

  let isClean = true;
  const started = new Set<Step>();
  for (const [at, listed] of phases.entries()) {
    const phase = [...new Set(listed)].filter((step) => !started.has(step));
    if (phase.length < listed.length) {
      log.error({ steps: listed.map(({ name }) => name) }, 'a step is listed twice');
      isClean = false;
    }
    for (const step of phase) started.add(step);
    const { promise: delayed, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), at === 0 ? timeoutMs : timeoutMs / (phases.length - 1));
    const completed = await Promise.all(phase.map((step) => end(step, delayed)));
    clearTimeout(timer);
    isClean &&= completed.every(Boolean);
  }
  return isClean;
};

/** Calls `stop` at the first SIGTERM or SIGINT and exits, with 0 if all succeeded; a second signal exits at once. */
export const drainOnSignal = (stop: () => Promise<boolean>): void => {
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    stop().then(
      (isClean) => process.exit(isClean ? 0 : 1),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
};
