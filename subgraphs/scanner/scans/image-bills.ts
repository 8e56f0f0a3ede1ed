import type { Who } from '@landfall/kernel/core/caller';
import type { Database } from '@landfall/kernel/db/database';
import { readSbom } from '../sbom/read-sbom.ts';
import type { Sbom } from '../sbom/sbom.ts';
import { SbomError } from '../sbom/sbom-error.ts';
import { storedDocument } from './documents.ts';
import { listNewestOfImages, type Scan } from './scans.store.ts';

/** Scan and the bill of materials that it is of. */
export interface ScannedBill {
  readonly scan: Scan;
  readonly sbom: Sbom;
}

/** Bills of the newest completed scans of some images. One that cannot be read any more is left out. */
export const readNewestBills = async (
  database: Database,
  who: Who,
  images: readonly string[],
): Promise<readonly ScannedBill[]> => {
  const bills: ScannedBill[] = [];
  for (const scan of await database.read(who.tenant, (query) => listNewestOfImages(query, who.tenant, images)))
    try {
      bills.push({ scan, sbom: await readSbom(storedDocument(database, who, scan.sbomDigest)) });
    } catch (error) {
      if (!(error instanceof SbomError)) throw error;
    }
  return bills;
};
