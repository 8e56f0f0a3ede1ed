import { createBatch } from '@landfall/kernel/core/batch';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import * as store from './tokens.store.ts';

/** Rows of requests, each on disk before its request is answered. */
export interface RequestLog {
  /** Whether the row stands: an issued token's does not when its access token was denied. */
  write(tenant: TenantId, row: store.NewToken): Promise<boolean>;
}

/**
 * What a tenant's requests write at one time goes into one statement; each waits for its commit, so nothing that was
 * answered can be lost, and a statement that fails fails each of them.
 */
export const createRequestLog = (database: Database): RequestLog => {
  const batches = new Map<TenantId, (row: store.NewToken) => Promise<boolean>>();
  const batchOf = (tenant: TenantId) => {
    const known = batches.get(tenant);
    if (known) return known;
    const made = createBatch<store.NewToken, boolean>(async (rows) => {
      const standing = new Set(
        (await database.read(tenant, (query) => store.insert(query, tenant, rows))).map(({ id }) => id),
      );
      return rows.map(({ id }) => standing.has(id));
    });
    batches.set(tenant, made);
    return made;
  };
  return { write: (tenant, row) => batchOf(tenant)(row) };
};
