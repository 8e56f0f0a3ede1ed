import { createBatch } from '@landfall/kernel/core/batch';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import * as store from './tokens.store.ts';

/** Log of requests: each row is committed before the answer, and concurrent rows of a tenant in one statement. */
export const createRequestLog = (database: Database) => {
  const batches = new Map<TenantId, (row: store.NewToken) => Promise<boolean>>();
  const batchOf = (tenant: TenantId) => {
    const known = batches.get(tenant);
    if (known) return known;
    const created = createBatch<store.NewToken, boolean>(async (rows) => {
      const inserted = await database.read(tenant, (query) => store.insert(query, tenant, rows));
      const ids = new Set(inserted.map(({ id }) => id));
      return rows.map(({ id }) => ids.has(id));
    });
    batches.set(tenant, created);
    return created;
  };
  return {
    /** Writes a row; false when the access token was revoked. */
    write: (tenant: TenantId, row: store.NewToken): Promise<boolean> => batchOf(tenant)(row),
    /** Licences among these that tokens of the tenant carried. */
    licensesAmong: async (tenant: TenantId, licenses: readonly string[]): Promise<readonly string[]> =>
      (await database.read(tenant, (query) => store.licensesAmong(query, tenant, licenses))).map(
        ({ license }) => license,
      ),
    /** Deletes rows older than `retentionMs`. */
    prune: (retentionMs: number): Promise<number> => database.system.write((tx) => store.prune(tx, retentionMs)),
  };
};

export type RequestLog = ReturnType<typeof createRequestLog>;
