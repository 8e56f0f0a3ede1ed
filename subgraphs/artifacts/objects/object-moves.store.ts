import { boolean, id, integer, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { fromNow, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import type { ArtifactId } from '../shared/identity.ts';

const marks = table('evidence.object_moves marks', { isMoving: boolean, mark: integer });

/** Mark of the moves of an artifact's object; undefined if it was never moved away, or long ago. */
export const find = (query: Query, artifactId: ArtifactId): Promise<RowOf<typeof marks> | undefined> =>
  query.find(
    marks,
    sql`/* evidence.object_moves.find */
    select is_moving, mark from evidence.object_moves where artifact_id = ${artifactId}`,
  );

const moves = table('evidence.object_moves', {
  artifactId: id('Artifact'),
  storageKey: text,
  purpose: oneOf('discard', 'quarantine'),
  mark: integer,
});

/** Move that is under way. */
export type ObjectMove = RowOf<typeof moves>;

/** Age from which the process of a move counts as killed. */
const UNENDED_MS = 3_600_000;

/** Notes that an object is being moved away; undefined while another process moves it. Under the lock of its key; role `landfall_system`. */
export const begin = (
  tx: Tx,
  { artifactId, storageKey, purpose }: Omit<ObjectMove, 'mark'>,
): Promise<ObjectMove | undefined> =>
  tx.find(
    moves,
    sql`/* evidence.object_moves.begin */
    insert into evidence.object_moves as known (artifact_id, storage_key, purpose)
    values (${artifactId}, ${storageKey}, ${purpose})
    on conflict (artifact_id) do update set storage_key = excluded.storage_key, purpose = excluded.purpose,
      is_moving = true, mark = known.mark + 1, moved_at = excluded.moved_at
    where not known.is_moving or known.moved_at < ${fromNow(-UNENDED_MS)}
    returning ${moves.columns}`,
  );

/** Takes over a move as it was listed; undefined if it ended, or began anew. Under the lock of its key; role `landfall_system`. */
export const resume = (tx: Tx, { artifactId, mark }: ObjectMove): Promise<ObjectMove | undefined> =>
  tx.find(
    moves,
    sql`/* evidence.object_moves.resume */
    update evidence.object_moves set mark = mark + 1, moved_at = kernel.now()
    where artifact_id = ${artifactId} and is_moving and mark = ${mark}
    returning ${moves.columns}`,
  );

/** Notes that an object is away, unless another process took the move over. Role `landfall_system`. */
export const end = (tx: Tx, { artifactId, mark }: ObjectMove): Promise<number> =>
  tx.run(sql`/* evidence.object_moves.end */
    update evidence.object_moves set is_moving = false, mark = mark + 1, moved_at = kernel.now()
    where artifact_id = ${artifactId} and is_moving and mark = ${mark}`);

/** Moves that did not end: their process was killed. Role `landfall_system`. */
export const listUnended = (query: Query, limit: number): Promise<ObjectMove[]> =>
  query.list(
    moves,
    sql`/* evidence.object_moves.listUnended */
    select ${moves.columns} from evidence.object_moves
    where is_moving and moved_at < ${fromNow(-UNENDED_MS)} order by moved_at limit ${limit}`,
  );

/** Forgets moves that ended before a time, when no put that saw an earlier mark is under way. Role `landfall_system`. */
export const removeEnded = (tx: Tx, olderThanMs: number): Promise<number> =>
  tx.run(sql`/* evidence.object_moves.removeEnded */
    delete from evidence.object_moves where not is_moving and moved_at < ${fromNow(-olderThanMs)}`);
