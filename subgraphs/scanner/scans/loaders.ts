import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import { type Page, pageOf } from '@landfall/kernel/operation/page';
import type { Scan, ScanId } from './scans.store.ts';
import type { Scans } from './scans.ts';

/** Page of the scans of some images. */
interface ScansOfImages {
  readonly imageDigests: readonly string[];
  readonly first: number;
  readonly after: string | undefined;
}

const pageKey = ({ first, after = '' }: ScansOfImages): string => `${first}/${after}`;

/** Loaders of one request: facts about all scans or images of an answer by one statement. */
export const createScanLoaders = (
  caller: Caller,
  { listOfImages, components }: Pick<Scans, 'listOfImages' | 'components'>,
) => {
  const load = async (keys: readonly ScansOfImages[]): Promise<readonly Scan[]> => {
    const [{ first, after } = { first: 1, after: undefined }] = keys;
    const imageDigests = [...new Set(keys.flatMap((key) => key.imageDigests))];
    return imageDigests.length === 0 ? [] : listOfImages(caller, { imageDigests, first, after });
  };

  return {
    /** Number of evaluated components of a scan of which an advisory could not be evaluated. */
    inconclusiveComponents: createBatch(async (scanIds: readonly ScanId[]) => {
      const rows = await components.countInconclusive(caller, { scanIds });
      const counts = new Map(rows.map(({ scanId, count }) => [scanId, count]));
      return scanIds.map((id) => counts.get(id) ?? 0);
    }),
    scansOfImages: createBatch(async (keys: readonly ScansOfImages[]): Promise<readonly Page<Scan>[]> => {
      const pages = new Map<string, readonly Scan[]>();
      for (const [key, of] of Map.groupBy(keys, pageKey)) pages.set(key, await load(of));
      return keys.map((key) => {
        const images: ReadonlySet<string | null> = new Set(key.imageDigests);
        const scans = pages.get(pageKey(key)) ?? [];
        return pageOf(
          scans.filter(({ imageDigest }) => images.has(imageDigest)),
          key.first,
        );
      });
    }),
  };
};

export type ScanLoaders = ReturnType<typeof createScanLoaders>;
