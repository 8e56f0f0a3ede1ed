import { invalid } from '@landfall/kernel/core/fault';
import type { FrozenState } from './frozen-scans.ts';

/** Text of a time in hashed documents: UTC with whole seconds, rounded down (proofs 0). */
export const secondsText = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** First instant whose year has five digits, which no hashed document can write. */
const END = Date.UTC(10_000, 0);

const refuse = (message: string): never => {
  throw invalid([{ field: 'freezeTimestamp', message, code: 'VAL_INVALID_VALUE' }]);
};

/** Newest capture of an input: of a feed, or of the bill of materials. */
const captureOf = ({ scan, stored: { capturedAt } }: FrozenState): string =>
  secondsText(capturedAt && capturedAt > scan.createdAt ? capturedAt : scan.createdAt);

/**
 * Time for which a scan is scored: the one that is asked for, else that of its manifest.
 * @throws Fault VAL_INVALID_VALUE for a time before the capture of an input
 */
export const freezeTimeOf = (state: FrozenState, asked: string | undefined): string => {
  if (asked === undefined) return secondsText(state.stored.createdAt);
  if (Date.parse(asked) >= END) refuse('is after the year 9999');
  const time = secondsText(new Date(asked));
  const captured = captureOf(state);
  // The fixed form of the times makes their order that of their text.
  if (time < captured) refuse(`is before ${captured}, when the scan’s inputs were captured`);
  return time;
};
