/** Parts of the module for benches, and for the product that tests run against. */
// biome-ignore lint/performance/noBarrelFile: nothing of the product imports it.
export { generatedFindings, scanWith } from '../score/generated-findings.fixture.ts';
export { replay } from '../score/replay.ts';
export { insertFrozenScan } from './frozen-scan.ts';
export { matchDocument } from './matched-document.ts';
export { rescoreBench } from './rescore-bench.ts';
