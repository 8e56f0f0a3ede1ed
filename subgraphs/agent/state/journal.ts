import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Lease, stepName, task } from '../protocol/messages.ts';
import { readIfThere, removeIfThere, writeAtomic } from './atomic-file.ts';

const entry = Type.Object({
  task,
  /** Step whose side effect was about to begin. */
  step: Type.Union([Type.Literal('leased'), stepName]),
  /** Number of the last report. */
  seq: Type.Integer({ minimum: 0 }),
});

export type JournalEntry = Static<typeof entry>;

const shape = Compile(entry);

/** Parses an entry; undefined for one that a power failure left incomplete. */
const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
};

/**
 * Creates the journal of leased tasks: one file for each task, written before each side effect and removed once the
 * server has accepted the end of the task. Secrets stay sealed to the agent's key. The journal survives the agent, not
 * the host: a power failure ends every process, and the task is leased again.
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
