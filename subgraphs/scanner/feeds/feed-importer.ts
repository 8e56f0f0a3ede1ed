import type { FeedChanges, FeedImporter } from '@landfall/kernel/operator/transfers';
import { countAll } from './advisories.store.ts';
import { listAllKnown } from './exploitation.store.ts';
import { findUnreadable } from './feed-check.ts';
import { onTransaction } from './feed-database.ts';
import { importFeeds } from './feed-import.ts';
import { sourceFiles } from './source-files.ts';

const FEED_FILE = /\.(?:csv|json|ya?ml)(?:\.gz)?$/i;

/** Feeds for other modules. It imports on the transaction of its caller, of the role `landfall_system`. */
export const feedImporter: FeedImporter = {
  async importAll(tx, files, note): Promise<FeedChanges> {
    const [before, known] = [await countAll(tx), new Set(await listAllKnown(tx))];
    const { advisories, ssvc, catalogues, refused, skipped } = await importFeeds(
      { database: onTransaction(tx) },
      files,
      note,
    );
    const added = (await countAll(tx)) - before;
    return {
      added,
      changed: advisories.written - added,
      withdrawn: advisories.withdrawn,
      records:
        advisories.written + advisories.unchanged + advisories.older + ssvc.written + ssvc.unchanged + ssvc.unrated,
      catalogues: catalogues.map(({ file, outcome }) => ({ file, outcome })),
      newlyExploited: (await listAllKnown(tx)).filter((cveId) => !known.has(cveId)),
      refused: [...refused],
      skipped,
    };
  },

  findUnreadable: ({ path, name }) => findUnreadable(path, name),

  async countDocuments({ path, name }): Promise<number> {
    let documents = 0;
    for await (const file of sourceFiles(path, name)) if (FEED_FILE.test(file.name)) documents += 1;
    return documents;
  },
};
