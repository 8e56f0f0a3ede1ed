import type { Log } from '@landfall/kernel/system/log';

/** Something that a stopping process must end. */
export interface Step {
  readonly name: string;
  close(): Promise<unknown>;
}

interface DrainOptions {
  /** For each phase, in milliseconds. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/**
 * Ends a process in order: first what accepts work, then what is under way, last what both stand on. The steps of a
 * phase run side by side and each phase waits for the one before. A step that fails or takes too long stops none of
 * the others, since an open database must still be closed. A step that is listed twice ends once, and is reported: it
 * is a mistake of the list. Answers whether everything ended well.
 */
export const drain = async (
  phases: readonly (readonly Step[])[],
  { timeoutMs, log }: DrainOptions,
): Promise<boolean> => {
  const end = async ({ name, close }: Step, late: Promise<'late'>): Promise<boolean> => {
    try {
      const outcome = await Promise.race([close(), late]);
      if (outcome === 'late') log.error({ step: name }, 'did not end in time');
      return outcome !== 'late';
    } catch (error) {
      log.error({ step: name, err: error }, 'did not end well');
      return false;
    }
  };

  let isClean = true;
  const started = new Set<Step>();
  for (const listed of phases) {
    const phase = [...new Set(listed)].filter((step) => !started.has(step));
    if (phase.length < listed.length) {
      log.error({ steps: listed.map(({ name }) => name) }, 'a step is listed twice');
      isClean = false;
    }
    for (const step of phase) started.add(step);
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => resolve('late'), timeoutMs);
    const ended = await Promise.all(phase.map((step) => end(step, late)));
    clearTimeout(timer);
    isClean &&= ended.every(Boolean);
  }
  return isClean;
};

/**
 * Calls `stop` at the first SIGTERM or SIGINT and then exits: 0 when all ended well, 1 otherwise. A second signal exits
 * at once: whoever sends it does not want to wait.
 */
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
