import type { Deps } from '@landfall/kernel/module';
import { createTransparencyLog, type LogSettings } from './log.ts';
import { parseWitnesses } from './witness-client.ts';
import { createWitnesses } from './witnesses.ts';

interface WitnessedLogSettings extends LogSettings {
  /** Witnesses that cosign checkpoints, each `<verifier key>=<url>`. */
  readonly witnesses?: readonly string[] | undefined;
}

type LogPartsDeps = Pick<Deps, 'database' | 'http' | 'ids' | 'clock' | 'log'>;

/** Creates the transparency log with its witnesses. @throws Error for a malformed witness in the settings */
export const createWitnessedLog = (
  deps: LogPartsDeps,
  { witnesses: named = [], ...settings }: WitnessedLogSettings,
) => {
  const { log, reading } = createTransparencyLog(deps, settings);
  const { origin } = settings;
  const witnesses = parseWitnesses(named);
  const { turn, workers } = createWitnesses({ ...deps, origin, reading, witnesses });
  return { log, reading, witnesses, workers, turn };
};
