import { parseSsvc } from '../advisories/ssvc.ts';
import { lockImports } from './captures.store.ts';
import type { FeedDatabase } from './feed-database.ts';
import * as store from './ssvc.store.ts';

/** CVE records of an import by what became of their decision points. */
export interface SsvcCounts {
  /** New, or newer than stored. */
  written: number;
  /** Not newer than stored. */
  unchanged: number;
  /** Records that CISA has not rated. */
  unrated: number;
}

const BATCH = 1_000;

/** Whether a document is a CVE record (CVE JSON 5), where CISA publishes its decision points. */
export const isCveRecord = (value: Readonly<Record<string, unknown>>): boolean =>
  value.dataType === 'CVE_RECORD' || ('cveMetadata' in value && 'containers' in value);

const rowOf = (parsed: NonNullable<ReturnType<typeof parseSsvc>>): store.SsvcPoints => ({
  ...parsed,
  publishedAt: parsed.publishedAt === null ? null : new Date(parsed.publishedAt),
});

const isNewer = (row: store.SsvcPoints, other: store.SsvcPoints | undefined): boolean =>
  other === undefined || (row.publishedAt?.getTime() ?? 0) > (other.publishedAt?.getTime() ?? 0);

/** Imports CISA's decision points in batches; `end` writes the last one. */
export const createSsvcImport = ({ database }: { readonly database: FeedDatabase }) => {
  const counts: SsvcCounts = { written: 0, unchanged: 0, unrated: 0 };
  let batch = new Map<string, store.SsvcPoints>();

  const end = async (): Promise<void> => {
    const rows = [...batch.values()];
    batch = new Map();
    if (rows.length === 0) return;
    const written = await database.system.write(async (tx) => {
      await lockImports(tx);
      return store.upsertAll(tx, rows);
    });
    counts.written += written;
    counts.unchanged += rows.length - written;
  };

  return {
    counts,
    /** Adds the points of a CVE record. Throws UnreadableDocument. */
    async add(record: unknown): Promise<void> {
      const parsed = parseSsvc(record);
      if (!parsed) {
        counts.unrated += 1;
        return;
      }
      const row = rowOf(parsed);
      const other = batch.get(row.cveId);
      if (other) counts.unchanged += 1;
      if (isNewer(row, other)) batch.set(row.cveId, row);
      if (batch.size >= BATCH) await end();
    },
    end,
  };
};
