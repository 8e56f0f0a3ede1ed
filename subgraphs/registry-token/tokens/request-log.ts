import { createBatch } from '@landfall/kernel/core/batch';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import * as store from './tokens.store.ts';

/** Log of requests, each row committed before its request is answered. */
export interface RequestLog {
  /** Writes a row; false when the access token was revoked. */
  write(tenant: TenantId, row: store.NewToken): Promise<boolean>;
}

/**
 * Batches the concurrent rows of a tenant into one statement. Each request waits for the commit; a failing statement
 * fails all of them.
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
