import { join } from 'node:path';
import { Fault } from '@landfall/kernel/core/fault';
import type { Database } from '@landfall/kernel/db/database';
import type { FeedFile, FeedImporter } from '@landfall/kernel/operator/transfers';
import { changesOfFeeds } from './changes.ts';
import { DEFAULT_RULE, type GatePreview, type Matches } from './gate-preview.ts';
import type { Loader } from './import-run.ts';
import type { KitComponent } from './manifest.ts';

/** Name of the number of documents of a feed, in the counts of its component. */
export const DOCUMENTS = 'documents';

const expectDocuments = async (
  feeds: FeedImporter,
  file: FeedFile,
  { path, counts }: Pick<KitComponent, 'path' | 'counts'>,
): Promise<void> => {
  const documents = await feeds.countDocuments(file);
  if (documents === counts[DOCUMENTS]) return;
  throw new Fault(
    'kit_content_mismatch',
    `The component ${path} has ${documents} documents, ${counts[DOCUMENTS] ?? 'none'} are declared.`,
    { path, documents },
  );
};

interface FeedsLoaderDeps {
  readonly database: Pick<Database, 'system'>;
  readonly feeds: FeedImporter;
  readonly previewGate: GatePreview;
}

/**
 * Loads kits of feeds. All of a kit takes effect with the transaction of its switch; until then scans see the feeds
 * before it.
 */
export const createFeedsLoader =
  ({ database, feeds, previewGate }: FeedsLoaderDeps): Loader =>
  async (run, directory, apply) => {
    const { components } = run.kit.value;
    const files: FeedFile[] = [];
    const documents = components.reduce((sum, { counts }) => sum + (counts[DOCUMENTS] ?? 0), 0);
    for (const component of components) {
      if (component.kind !== 'feed')
        throw new Fault('kit_content_mismatch', `A kit of feeds has no ${component.kind}: ${component.path}.`, {
          path: component.path,
        });
      const file = { path: join(directory, component.path), name: component.path };
      await expectDocuments(feeds, file, component);
      files.push(file);
    }
    const { row, caller } = run;
    const preview = row.isDryRun ? await previewGate(caller, row.failOn ?? DEFAULT_RULE) : undefined;
    let read: Matches | undefined;
    const changes = await apply(run, database.system.write, async (tx) => {
      run.note(0, documents);
      // With the channel held, so that no other import lies between the two readings.
      const before = await preview?.read(tx);
      const changes = await feeds.importAll(tx, files, (done) => run.note(done, documents));
      const [refused] = changes.refused;
      if (refused)
        throw new Fault('kit_content_mismatch', `${refused.file} cannot be read: ${refused.reason}`, {
          path: refused.file,
          refused: changes.refused.length,
        });
      if (preview && before) read = { before, after: await preview.read(tx) };
      return { changes: changesOfFeeds(changes), carriedReleaseId: undefined };
    });
    return preview && read ? { ...changes, gate: await preview.end(read) } : changes;
  };
