import { readFileSync } from 'node:fs';

/** Reading of a clock that only moves forwards, since a boot of the machine. */
export interface MonotonicReading {
  readonly bootId: string;
  readonly ms: number;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

const readBootId = (): string => {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    // Elsewhere than on Linux a restarted process begins again: the latest time stored is what is left.
    return `process ${process.pid} ${performance.timeOrigin}`;
  }
};

let bootId: string | undefined;

/** Reads the machine's monotonic clock, which every process of a boot shares. */
export const readMonotonicClock = (): MonotonicReading => {
  bootId ??= readBootId();
  return { bootId, ms: Number(process.hrtime.bigint() / 1_000_000n) };
};
