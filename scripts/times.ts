import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import Type, { type Static } from 'typebox';
import { Parse } from 'typebox/value';
import { childSeconds } from './process-times.ts';
import { root } from './run-program.ts';

/** Number of slowest files that are printed. */
const NAMED = 15;

const line = Type.Union([
  Type.Object({ kind: Type.String(), ms: Type.Number() }),
  Type.Object({ file: Type.String(), own: Type.Number(), children: Type.Number() }),
]);

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);

const seconds = (number: number): string => `${number < 10 ? number.toFixed(1) : Math.round(number)} s`;

/** Accounts for the time of a run: processor time by its use, and wall time by what tests waited for. */
export const createTimes = () => {
  const began = performance.now();
  /** Wall milliseconds of each file. */
  const duration = new Map<string, number>();
  const cpu = new Map<string, number>();
  const files = new Map<string, { own: number; children: number }>();
  const waited = new Map<string, number>();

  const add = (sums: Map<string, number>, key: string, more: number): void => {
    sums.set(key, (sums.get(key) ?? 0) + more);
  };

  const note = (one: Static<typeof line>): void => {
    if ('kind' in one) add(waited, one.kind, one.ms);
    else {
      const file = relative(root, one.file);
      const before = files.get(file) ?? { own: 0, children: 0 };
      files.set(file, { own: before.own + one.own, children: before.children + one.children });
    }
  };

  return {
    took: duration,
    /** Runs work at whose end children of this process end, and accounts their processor time under a name. */
    async spent<T>(name: string, work: () => Promise<T>): Promise<T> {
      const before = childSeconds('self');
      try {
        return await work();
      } finally {
        add(cpu, name, childSeconds('self') - before);
      }
    },
    /** Reads what the processes of the run reported. */
    async read(path: string): Promise<void> {
      for (const text of (await readFile(path, 'utf8')).split('\n'))
        if (text !== '') note(Parse(line, JSON.parse(text)));
    },
    /** The account, in lines to print. */
    lines(tests: number): string[] {
      add(cpu, 'tests', sum([...files.values()].map(({ own }) => own)));
      add(cpu, 'programs that tests start', sum([...files.values()].map(({ children }) => children)));
      const total = sum(cpu.values());
      const wall = sum(duration.values()) / 1_000;
      const preparing = sum(waited.values()) / 1_000;
      const ofFile = (file: string): number => (files.get(file)?.own ?? 0) + (files.get(file)?.children ?? 0);
      const slowest = [...duration].toSorted(([a], [b]) => ofFile(b) - ofFile(a)).slice(0, NAMED);
      return [
        ...slowest.map(([file, ms]) => `SLOW ${seconds(ofFile(file))} of CPU, ${seconds(ms / 1_000)} in all: ${file}`),
        ...[...waited].map(([kind, ms]) => `WAIT ${seconds(ms / 1_000)} for ${kind}`),
        `WAIT ${seconds(wall - preparing)} for tests themselves`,
        ...[...cpu].toSorted(([, a], [, b]) => b - a).map(([name, cpuMs]) => `CPU ${seconds(cpuMs)} ${name}`),
        `${seconds((performance.now() - began) / 1_000)}, ${seconds(total)} of CPU: ${(total / tests).toFixed(2)} s a test`,
      ];
    },
  };
};
