import type { Query } from '@landfall/kernel/db/query';
import type { ArtifactId } from '../shared/identity.ts';
import * as store from './object-moves.store.ts';

export type { ObjectMove } from './object-moves.store.ts';

/** Moves of objects, which are noted before and after: none is in a transaction. Role `landfall_system`. */
export const objectMoves = {
  begin: store.begin,
  resume: store.resume,
  end: store.end,
  listUnended: store.listUnended,
  removeEnded: store.removeEnded,
};

/** Mark of the moves of an artifact's object, which a put compares; undefined while it is being moved. */
export const moveMarkOf = async (query: Query, artifactId: ArtifactId): Promise<number | undefined> => {
  const { isMoving, mark } = (await store.find(query, artifactId)) ?? { isMoving: false, mark: 0 };
  return isMoving ? undefined : mark;
};
