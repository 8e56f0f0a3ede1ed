import { Fault } from '../core/fault.ts';
import type { HttpFailure } from './failure.ts';

/** Maps a failed call of a remote party to a Fault INT_*, with `name` in its message and `about` in its details. */
export const remoteFault = (
  { kind, message, details: decision }: HttpFailure,
  name: string,
  about: Readonly<Record<string, string>>,
): Fault => {
  const details = { ...decision, ...about, cause: kind };
  if (kind === 'timeout') return new Fault('INT_TIMEOUT', `${name} did not answer in time.`, details);
  if (kind === 'too-large') return new Fault('INT_INVALID_RESPONSE', `${name}: ${message}`, details);
  if (kind === 'refused-by-policy')
    return new Fault('INT_CONNECTION_FAILED', `${name} is not asked. ${message}`, details);
  return new Fault('INT_CONNECTION_FAILED', `${name} cannot be reached: ${message}`, details);
};
