import { Fault } from '@landfall/kernel/core/fault';
import type { Deps } from '@landfall/kernel/module';
import type { VexImporter } from '@landfall/kernel/operator/transfers';
import { UnreadableDocument } from '../advisories/document-fields.ts';
import { sourceFiles } from '../feeds/source-files.ts';
import { getSource, prepareDocument, storeDocument } from './document-import.ts';

const DOCUMENT = /\.json(?:\.gz)?$/i;

/** VEX documents for other modules, such as mirrors of CSAF and VEX repositories as their publishers lay them out. */
export const createVexImporter = ({ ids }: Pick<Deps, 'ids'>): VexImporter => ({
  async importAll(tx, caller, { path, name, source: named }) {
    const source = await getSource(tx, caller.tenant, named);
    let [records, rejected] = [0, 0];
    for await (const file of sourceFiles(path, name)) {
      if (!DOCUMENT.test(file.name)) continue;
      try {
        await storeDocument(tx, caller, ids, { source, prepared: await prepareDocument(await file.text()) });
        records += 1;
      } catch (error) {
        // Other documents, such as the metadata of a provider, are counted; any other failure ends the import.
        const isOfDocument = error instanceof UnreadableDocument || (error instanceof Fault && error.status === 400);
        if (!isOfDocument) throw error;
        rejected += 1;
      }
    }
    return { records, rejected };
  },
});
