import type { Scan } from './scans.store.ts';

/** Newest score of a scan, 0 to 1 in at most six decimals (proofs 0); null without one. */
export const scoreOf = ({ scorePpm }: Pick<Scan, 'scorePpm'>): number | null =>
  scorePpm === null ? null : scorePpm / 1_000_000;
