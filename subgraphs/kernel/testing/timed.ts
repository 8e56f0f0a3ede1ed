import { appendFileSync } from 'node:fs';

/** Kinds of preparation that a test waits for: a product's start, a database's clone, a browser's start. */
type Preparation = 'boot' | 'database' | 'browser';

/** Runs a preparation, and reports to the test runner how long it took. */
export const timed = async <T>(kind: Preparation, prepare: () => Promise<T>): Promise<T> => {
  const report = process.env.LANDFALL_TEST_TIMES;
  if (report === undefined) return prepare();
  const start = performance.now();
  try {
    return await prepare();
  } finally {
    appendFileSync(report, `${JSON.stringify({ kind, ms: performance.now() - start })}\n`);
  }
};
