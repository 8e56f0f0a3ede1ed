import type { TenantId } from '@landfall/kernel/core/ids';
import { isDatabaseFault } from '@landfall/kernel/db/errors';

/** Something noted that is not written yet. */
interface BufferedRow<Row> {
  readonly tenant: TenantId;
  /** Milliseconds of the process clock. */
  readonly at: number;
  readonly row: Row;
}

type WithAge<Row> = Row & { readonly ageMs: number };

const BATCH = 1_000;

/**
 * Creates a buffer of rows that wait to be written, tenant by tenant.
 * @param insert writes rows of one tenant, in their order
 */
export const createWriteBuffer = <Row>(
  insert: (tenant: TenantId, rows: readonly WithAge<Row>[]) => Promise<unknown>,
) => {
  let waiting: BufferedRow<Row>[] = [];

  /** @returns what could not be written */
  const writeAll = async (tenant: TenantId, notes: readonly BufferedRow<Row>[], nowMs: number, failures: unknown[]) => {
    for (let from = 0; from < notes.length; from += BATCH) {
      const batch = notes.slice(from, from + BATCH);
      try {
        await insert(
          tenant,
          batch.map(({ at, row }) => ({ ...row, ageMs: Math.max(0, nowMs - at) })),
        );
      } catch (error) {
        failures.push(error);
        // A row that the database refuses once is always refused: it must not delay later ones.
        if (isDatabaseFault(error)) return notes.slice(from);
      }
    }
    return [];
  };

  return {
    get size(): number {
      return waiting.length;
    },
    push: (note: BufferedRow<Row>): void => void waiting.push(note),
    drop(isDropped: (note: BufferedRow<Row>) => boolean): void {
      waiting = waiting.filter((note) => !isDropped(note));
    },
    /** Writes the buffered rows, keeps them in a database outage, drops rejected ones. Throws the first failure. */
    async write(nowMs: number): Promise<void> {
      const written = waiting;
      waiting = [];
      const failures: unknown[] = [];
      const remaining: BufferedRow<Row>[] = [];
      for (const [tenant, notes] of Map.groupBy(written, (note) => note.tenant))
        remaining.push(...(await writeAll(tenant, notes, nowMs, failures)));
      waiting = [...remaining, ...waiting];
      if (failures.length > 0) throw failures[0];
    },
  };
};
