/** Parts of the module for who tests or measures them alone, from outside. */
// biome-ignore lint/performance/noBarrelFile: nothing of the product imports it.
export { type Chunk, SHARED } from '../corpus/chunk.ts';
export { createCorpus } from '../corpus/corpus.ts';
export type { IndexChange, Lane } from '../fts/lane.ts';
export { createLane } from '../fts/threaded-lane.ts';
export { createQuality } from '../quality/quality.ts';
export { abstentionApp, type Half } from '../query/abstention.fixture.ts';
export { createQuery } from '../query/query.ts';
export { fuse } from '../query/rank-fusion.ts';
export { answerOf } from '../synthesis/answer.ts';
export { createSynthesis } from '../synthesis/synthesis.ts';
