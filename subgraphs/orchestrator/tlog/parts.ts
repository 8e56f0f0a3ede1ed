import type { Deps, Worker } from '@landfall/kernel/module';
import { createTransparencyLog, type Log, type LogSettings } from './log.ts';
import { createLogOperations } from './operations.ts';
import { parseWitnesses } from './witness-client.ts';
import { createWitnesses } from './witnesses.ts';

export interface LogPartsSettings extends LogSettings {
  /** Who is asked to cosign checkpoints, each `<verifier key>=<url>`. */
  readonly witnesses?: readonly string[] | undefined;
}

type LogPartsDeps = Pick<Deps, 'database' | 'operation' | 'http' | 'ids' | 'clock' | 'log'>;

/** The log with what stands around it in the module. */
export interface LogParts extends Log {
  readonly operations: ReturnType<typeof createLogOperations>;
  readonly workers: readonly Worker[];
  /** One round of asking the witnesses, for tests. @returns how many cosigned */
  turn(): Promise<number>;
}

/** @throws Error for a witness that the settings spell wrong */
export const createLogParts = (
  deps: LogPartsDeps,
  { witnesses: named = [], ...settings }: LogPartsSettings,
): LogParts => {
  const { log, reading } = createTransparencyLog(deps, settings);
  const { origin } = settings;
  const witnesses = parseWitnesses(named);
  const { turn, workers } = createWitnesses({ ...deps, origin, reading, witnesses });
  const operations = createLogOperations({ ...deps, transparencyLog: log, origin, witnesses });
  return { log, reading, operations, workers, turn };
};
