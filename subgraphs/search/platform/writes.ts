import type { Tx } from '@landfall/kernel/db/query';
import type { TenantId } from '@landfall/kernel/ids';
import type { Corpus } from '../corpus/corpus.ts';
import { pagesOf } from './batches.ts';
import { PLATFORM } from './document-format.ts';
import { type Documents, documentsOf } from './documents.ts';
import type { Subject, World } from './entity-index.ts';
import * as store from './subjects.store.ts';

/** Writes what is known of things; what nothing is known of any more goes. */
export const keepFacts = async (
  tx: Tx,
  tenant: TenantId,
  world: World,
  subjects: readonly Subject[],
): Promise<void> => {
  const facts = subjects.map((subject) => ({
    ...subject,
    facts: world.find(subject.kind, subject.id),
    version: store.VERSION,
  }));
  for (const page of pagesOf(facts.filter((each) => each.facts !== undefined))) await store.upsert(tx, tenant, page);
  for (const page of pagesOf(facts.filter((each) => each.facts === undefined))) await store.remove(tx, tenant, page);
};

/** Tells things anew. @returns what was written and what was taken away */
export const tellDocuments = async (
  tx: Tx,
  tenant: TenantId,
  corpus: Corpus,
  world: World,
  subjects: readonly Subject[],
): Promise<Documents> => {
  const documents = documentsOf(world, subjects);
  for (const page of pagesOf(documents.chunks)) await corpus.putIn(tx, tenant, page);
  for (const page of pagesOf(documents.gone)) await corpus.removeIn(tx, tenant, PLATFORM, page);
  return documents;
};
