import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Corpus } from '../corpus/corpus.ts';
import { batchesOf } from './batches.ts';
import { PLATFORM } from './document-format.ts';
import { type Documents, documentsOf } from './documents.ts';
import type { EntityIndex, Subject } from './entity-index.ts';
import * as store from './subjects.store.ts';

/** Writes the facts of entities and deletes entities without facts. */
export const writeFacts = async (tx: Tx, tenant: TenantId, entities: EntityIndex, subjects: readonly Subject[]) => {
  const facts = subjects.map((subject) => ({
    ...subject,
    facts: entities.find(subject.kind, subject.id),
    version: store.VERSION,
  }));
  for (const page of batchesOf(facts.filter((each) => each.facts !== undefined))) await store.upsert(tx, tenant, page);
  for (const page of batchesOf(facts.filter((each) => each.facts === undefined))) await store.remove(tx, tenant, page);
};

/**
 * Writes the documents of entities and removes outdated ones.
 * @returns documents written and removed
 */
export const writeDocuments = async (
  tx: Tx,
  tenant: TenantId,
  corpus: Corpus,
  entities: EntityIndex,
  subjects: readonly Subject[],
): Promise<Documents> => {
  const documents = documentsOf(entities, subjects);
  for (const page of batchesOf(documents.chunks)) await corpus.putIn(tx, tenant, page);
  for (const page of batchesOf(documents.gone)) await corpus.removeIn(tx, tenant, PLATFORM, page);
  return documents;
};
