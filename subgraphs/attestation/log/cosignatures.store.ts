import { count } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';

const cosigned = table('tlog.cosigned', { size: count });

export interface NewCosignature {
  readonly size: number;
  readonly witness: string;
  readonly line: string;
  readonly cosignedAt: Date;
}

/** Finds the newest tree that a witness cosigned. */
export const findLast = (query: Query, origin: string, witness: string) =>
  query.find(
    cosigned,
    sql`/* tlog.cosignatures.findLast */
    select s.size from tlog.logs l join tlog.cosignatures s on s.log_id = l.id
    where l.origin = ${origin} and s.witness = ${witness} order by s.size desc limit 1`,
  );

/** Stores a witness's signature line; the first one for a tree stays. */
export const insert = (tx: Tx, origin: string, { size, witness, line, cosignedAt }: NewCosignature): Promise<number> =>
  tx.run(sql`/* tlog.cosignatures.insert */
    insert into tlog.cosignatures (log_id, size, witness, line, cosigned_at)
    select id, ${size}, ${witness}, ${line}, ${cosignedAt} from tlog.logs where origin = ${origin}
    on conflict do nothing`);
