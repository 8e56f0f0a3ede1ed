import { useState } from 'react';
import type { TryIntegrationMutation } from '../../generated/operations.ts';

type Probed = TryIntegrationMutation['tryIntegration'];

/** A save that asks the remote party first, and goes past a failed test only when it is pressed again for that. */
export type TestedSave<Input> = {
  /** The test that failed, for the settings that are in the form; undefined before it and after another one. */
  readonly failed: Probed | undefined;
  /** Whether `input` may be saved now: its test passed, or failed and the reader saves it nevertheless. */
  readonly passes: (input: Input) => Promise<boolean>;
};

/**
 * @param test asks the remote party; undefined where the test itself was refused, which the form shows
 */
export function useTestedSave<Input>(test: (input: Input) => Promise<Probed | undefined>): TestedSave<Input> {
  const [last, setLast] = useState<{ readonly key: string; readonly probe: Probed }>();
  return {
    failed: last?.probe,
    async passes(input) {
      const key = JSON.stringify(input);
      // The same settings again, after the reader has read what the test said.
      if (last !== undefined && last.key === key) return true;
      setLast(undefined);
      const probe = await test(input);
      if (probe === undefined) return false;
      if (!probe.ok) setLast({ key, probe });
      return probe.ok;
    },
  };
}
