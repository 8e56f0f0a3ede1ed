import { setTimeout } from 'node:timers/promises';
import { silentLog } from '@landfall/kernel/system/log';
import { createLane, fuse, type IndexChange, type Lane } from '@landfall/search/testing/parts';
import type { BenchDocument } from './search-documents.ts';
import type { Candidate } from './search-peers.ts';

const TENANT = 'acme';
/** Number of entities requested for each domain, as in the product. */
const DOMAIN_LIMIT = 40;
/** Number of documents in one batch, as in the product's feed. */
const BATCH = 2_000;
/** Time without a change of the segments after which merging is complete, in milliseconds. */
const MERGED_MS = 500;

const changeOf = (document: BenchDocument, number: number): IndexChange => ({
  kind: 'put',
  chunk: {
    number,
    tenant: TENANT,
    domain: document.domain,
    entityKey: document.entityKey,
    entityType: document.entityType,
    identifiers: document.identifiers,
    packages: document.packages,
    title: document.title,
    body: document.body,
    severity: document.severity ?? null,
    ecosystem: document.ecosystem ?? null,
  },
});

/** Fills an index like the product's feed. */
const fillLane = async (lane: Lane, documents: readonly BenchDocument[]): Promise<void> => {
  for (let from = 0; from < documents.length; from += BATCH) {
    const some = documents.slice(from, from + BATCH);
    await lane.apply(
      some.map((document, index) => changeOf(document, from + index + 1)),
      `1-${from + some.length}`,
    );
  }
  lane.warm();
};

/** Waits until merging is complete, which is part of building. */
export const mergedLane = async (lane: Lane): Promise<void> => {
  for (let before = -1; before !== lane.state().segments; await setTimeout(MERGED_MS)) before = lane.state().segments;
};

/** Creates an index of documents in its worker thread. */
export const createIndexLane = async (documents: readonly BenchDocument[]): Promise<Lane> => {
  const lane = await createLane({ directory: undefined, log: silentLog });
  await fillLane(lane, documents);
  return lane;
};

/** Creates the contender that answers queries like the product: lane and fusion. */
export const landfallEngine = (lane: Lane): Candidate => ({
  name: 'ours',
  async search(text, limit) {
    const answer = await lane.search({ tenant: TENANT, text, limit: DOMAIN_LIMIT, isTyping: true });
    return fuse(answer, limit).map(({ entityKey }) => entityKey);
  },
});
