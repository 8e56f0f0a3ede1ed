import type { Scan } from './scans.store.ts';

/** Components of a scan by outcome; the last four sum to the first (proofs 2.4). */
interface Coverage {
  readonly components: number;
  readonly evaluated: number;
  readonly noPurl: number;
  readonly unknownEcosystem: number;
  readonly badVersion: number;
}

/** Coverage of a completed scan; undefined before. */
export const coverageOf = (scan: Scan): Coverage | undefined => {
  const { components, evaluated, noPurl, unknownEcosystem, badVersion } = scan;
  if (components === null || evaluated === null || noPurl === null) return undefined;
  if (unknownEcosystem === null || badVersion === null) return undefined;
  return { components, evaluated, noPurl, unknownEcosystem, badVersion };
};
