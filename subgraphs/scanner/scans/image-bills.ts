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

/** Components of all bills that are held at once. */
const MOST_COMPONENTS = 200_000;

/**
 * Bills of the newest completed scans of some images, the first images first. One that cannot be read any more is left out;
 * `unread` has the images whose bills would be too large together with those before them.
 */
export const readNewestBills = async (
  database: Database,
  who: Who,
  images: readonly string[],
): Promise<{ readonly bills: readonly ScannedBill[]; readonly unread: ReadonlySet<string> }> => {
  const bills: ScannedBill[] = [];
  const unread = new Set<string>();
  let held = 0;
  for (const scan of await database.read(who.tenant, (query) => listNewestOfImages(query, who.tenant, images))) {
    const { imageDigest, components, sbomDigest } = scan;
    if (imageDigest !== null && held + (components ?? 0) > MOST_COMPONENTS) {
      unread.add(imageDigest);
      continue;
    }
    held += components ?? 0;
    try {
      bills.push({ scan, sbom: await readSbom(storedDocument(database, who, sbomDigest)) });
    } catch (error) {
      if (!(error instanceof SbomError)) throw error;
    }
  }
  return { bills, unread };
};
