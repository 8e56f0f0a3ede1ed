import type { Scan, ScanId } from './scans.store.ts';

/** Components of a scan by outcome; the last four sum to the first (proofs 2.4). */
export interface ScanCoverage {
  readonly scanId: ScanId;
  readonly components: number;
  readonly evaluated: number;
  readonly noPurl: number;
  readonly unknownEcosystem: number;
  readonly badVersion: number;
}

/** Coverage of a completed scan; undefined before. */
export const coverageOf = (scan: Scan): ScanCoverage | undefined => {
  const { components, evaluated, noPurl, unknownEcosystem, badVersion } = scan;
  if (components === null || evaluated === null || noPurl === null) return undefined;
  if (unknownEcosystem === null || badVersion === null) return undefined;
  return { scanId: scan.id, components, evaluated, noPurl, unknownEcosystem, badVersion };
};
