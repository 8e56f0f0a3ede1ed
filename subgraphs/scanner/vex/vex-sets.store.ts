import type { TenantId } from '@landfall/kernel/core/ids';
import { json, text } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { VexDocument } from '../score/vex-set.ts';

const sets = table('scanner.vex_sets', {
  hash: text,
  documents: json(
    Type.Unsafe<readonly VexDocument[]>(
      Type.Array(
        Type.Object({ digest: Type.String(), rank: Type.Integer(), source: Type.String(), trust: Type.String() }),
      ),
    ),
  ),
});

export const { insertIfAbsent } = sets;

/** Set of documents by its hash. */
export const findByHash = (query: Query, tenant: TenantId, hash: string) =>
  sets.findWhere(query, 'findByHash', sql`tenant = ${tenant} and hash = ${hash}`);
