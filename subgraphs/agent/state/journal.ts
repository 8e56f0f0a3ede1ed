import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Lease, stepName, task } from '../protocol/messages.ts';
import { readIfThere, removeIfThere, writeAtomic } from './atomic-file.ts';

const entry = Type.Object({
  task,
  /** The side effect that was about to begin. */
  step: Type.Union([Type.Literal('leased'), stepName]),
  /** The last report's number. */
  seq: Type.Integer({ minimum: 0 }),
});

export type JournalEntry = Static<typeof entry>;

const shape = Compile(entry);

/** Parses an entry; undefined for one that a power cut left half-written. */
const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
};

/**
 * Journal of leased tasks: one file a task, written before each side effect and removed once the server has accepted
 * the task's end. Secrets stay sealed to the agent's key. It survives the agent, not the host: a power cut ends every
 * process, and the lease then brings the task again.
 */
export const createJournal = (directory: string) => {
  const fileOf = ({ taskId, fence }: Lease): string => join(directory, `${taskId}.${fence}.json`);

  return {
    open: async (): Promise<void> => {
      await mkdir(directory, { recursive: true, mode: 0o700 });
    },
    write: (value: JournalEntry): Promise<void> => writeAtomic(fileOf(value.task), JSON.stringify(value), 'process'),
    remove: (lease: Lease): Promise<void> => removeIfThere(fileOf(lease)),
    async list(): Promise<readonly JournalEntry[]> {
      const names = (await readdir(directory)).filter((name) => name.endsWith('.json'));
      const texts = await Promise.all(names.map((name) => readIfThere(join(directory, name))));
      return texts.map(parse).filter((value): value is JournalEntry => shape.Check(value));
    },
  };
};

export type Journal = ReturnType<typeof createJournal>;
