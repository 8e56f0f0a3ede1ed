import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { ArtifactSubject, Artifacts } from './records/artifacts.ts';

/** Loaders of one request. */
export const createLoaders = (caller: Caller, { subjects }: Pick<Artifacts, 'subjects'>) => ({
  subjectsOf: createBatch(async (ids: readonly string[]): Promise<readonly (readonly ArtifactSubject[])[]> => {
    const found = Map.groupBy(await subjects(caller, { ids }), ({ artifactId }) => String(artifactId));
    return ids.map((id) => found.get(id) ?? []);
  }),
});

export type Loaders = ReturnType<typeof createLoaders>;
