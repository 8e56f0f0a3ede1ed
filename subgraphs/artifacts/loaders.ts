import { createBatch, createBatchOfMany, createBatchOfOne } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import type { ArtifactStore } from './index.ts';

type Sources = Pick<ArtifactStore, 'artifacts' | 'bundles' | 'completeness' | 'exports' | 'holds' | 'retention'>;

/** Loader of each argument, made once. */
const perKey = <Key, Loader>(create: (key: Key) => Loader) => {
  const made = new Map<Key, Loader>();
  return (key: Key): Loader => {
    const loader = made.get(key) ?? create(key);
    made.set(key, loader);
    return loader;
  };
};

/** Loaders of one request. */
export const createLoaders = (caller: Caller, sources: Sources) => {
  const { artifacts, bundles, completeness, exports, holds, retention } = sources;
  const ofThings = (kind: string) =>
    perKey((first: number) =>
      createBatchOfMany((ids) => artifacts.listOfThings(caller, { kind, ids, first }), 'entityId'),
    );
  return {
    completenessIn: perKey((environmentId: string) =>
      createBatch((releaseIds: readonly string[]) => completeness.assess(caller, { environmentId, releaseIds })),
    ),
    artifact: createBatchOfOne((ids) => artifacts.listOfIds(caller, { ids }), 'artifactId'),
    subjectsOf: perKey((first: number) =>
      createBatchOfMany((ids) => artifacts.subjects(caller, { ids, first }), 'artifactId'),
    ),
    referencesOf: perKey((first: number) =>
      createBatchOfMany((ids) => artifacts.references(caller, { ids, first }), 'artifactId'),
    ),
    bundlesOf: perKey((first: number) =>
      createBatchOfMany((ids) => bundles.listOfArtifacts(caller, { ids, first }), 'artifactId'),
    ),
    retentionOf: createBatchOfOne((ids) => retention.listOfArtifacts(caller, { ids }), 'artifactId'),
    bundle: createBatchOfOne((ids) => bundles.listOfIds(caller, { ids }), 'id'),
    bundleOfDeployment: createBatchOfOne((ids) => bundles.listOfDeployments(caller, { ids }), 'subjectId'),
    lossesOf: createBatchOfOne((ids) => bundles.losses(caller, { ids }), 'bundleId'),
    export: createBatchOfOne((ids) => exports.listOfIds(caller, { ids }), 'id'),
    exportsOf: createBatchOfMany((bundleIds) => exports.listOfBundles(caller, { bundleIds }), 'bundleId'),
    ofThings: { Release: ofThings('Release'), Deployment: ofThings('Deployment'), Scan: ofThings('Scan') },
    holdsOf: createBatchOfMany((ids) => holds.listOfArtifacts(caller, { ids }), 'artifactId'),
  };
};

export type Loaders = ReturnType<typeof createLoaders>;
