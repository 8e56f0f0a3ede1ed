import { setTimeout } from 'node:timers/promises';
import { silentLog } from '@landfall/kernel/system/log';
import { createLane, fuse, type IndexChange, type Lane } from '@landfall/search/testing/parts';
import type { BenchDocument } from './search-documents.ts';
import type { Contender } from './search-peers.ts';

const TENANT = 'acme';
/** As many entities a domain as the product asks its index for. */
const DOMAIN_LIMIT = 40;
/** As the feed hands on while it reads everything. */
const BATCH = 2_000;
/** A lane whose number of segments stays the same for so long has merged what there was to merge. */
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

/** Fills an index as the product's feed does. */
const fillLane = async (lane: Lane, documents: readonly BenchDocument[]): Promise<void> => {
  for (let from = 0; from < documents.length; from += BATCH) {
    const some = documents.slice(from, from + BATCH);
    await lane.apply(
      some.map((document, at) => changeOf(document, from + at + 1)),
      `1-${from + some.length}`,
    );
  }
  lane.warm();
};

/** Waits until nothing is left to merge: building is not over before. */
export const mergedLane = async (lane: Lane): Promise<void> => {
  for (let before = -1; before !== lane.state().segments; await setTimeout(MERGED_MS)) before = lane.state().segments;
};

/** An index of documents, in its worker thread. */
export const laneOf = async (documents: readonly BenchDocument[]): Promise<Lane> => {
  const lane = await createLane({ directory: undefined, log: silentLog });
  await fillLane(lane, documents);
  return lane;
};

/** Queries as the product answers them: lane and fusion. */
export const contenderOf = (lane: Lane): Contender => ({
  name: 'ours',
  async search(text, limit) {
    const answer = await lane.search({ tenant: TENANT, text, limit: DOMAIN_LIMIT, isTyping: true });
    return fuse(answer, limit).map(({ entityKey }) => entityKey);
  },
});
