import type { Search } from '@landfall/search';

type Value<O> = O extends (...args: never[]) => Promise<infer V> ? V : never;
type LegacyAnswer = Value<Search['legacy']['search']>;
type LegacyRebuild = Value<Search['legacy']['rebuild']>;

/** The legacy body, field by field in its order (rulings, exact shapes). */
export const legacyView = ({ query, topK, results, diagnostics }: LegacyAnswer) => ({
  query,
  topK,
  results: results.map(({ id, title, snippet, kind, score, href }) => ({ id, title, snippet, kind, score, href })),
  diagnostics: {
    mode: diagnostics.mode,
    usedVector: diagnostics.usedVector,
    activeEncoder: diagnostics.activeEncoder,
    durationMs: diagnostics.durationMs,
  },
});

/** Spec 2.8, in its order. */
export const legacyRebuildView = (rebuilt: LegacyRebuild) => ({
  documentCount: rebuilt.documentCount,
  chunkCount: rebuilt.chunkCount,
  apiSpecCount: rebuilt.apiSpecCount,
  apiOperationCount: rebuilt.apiOperationCount,
  doctorProjectionCount: rebuilt.doctorProjectionCount,
  durationMs: rebuilt.durationMs,
});
