import { createBatch } from '@landfall/kernel/core/batch';
import type { Caller } from '@landfall/kernel/core/caller';
import { toId } from '@landfall/kernel/core/ids';
import type { Bundles } from './bundles/bundles.ts';
import type { Completeness } from './completeness/completeness.ts';
import type { Holds } from './custody/holds.ts';
import type { Exports } from './exports/exports.ts';
import type { Artifacts } from './records/artifacts.ts';

interface Sources {
  readonly holds: Pick<Holds, 'listOfArtifacts'>;
  readonly artifacts: Pick<Artifacts, 'subjects' | 'listOfIds' | 'listOfThings'>;
  readonly bundles: Pick<Bundles, 'listOfIds' | 'listOfDeployments' | 'losses'>;
  readonly completeness: Completeness;
  readonly exports: Pick<Exports, 'listOfBundles' | 'listOfIds'>;
}

/** Rows of each key, in the order of the keys. */
const grouped = <Row>(rows: readonly Row[], keys: readonly string[], keyOf: (row: Row) => string): readonly Row[][] => {
  const found = Map.groupBy(rows, keyOf);
  return keys.map((key) => found.get(key) ?? []);
};

const ofThings = (caller: Caller, { listOfThings }: Pick<Artifacts, 'listOfThings'>, kind: string) =>
  createBatch(async (ids: readonly string[]) =>
    grouped(await listOfThings(caller, { kind, ids }), ids, ({ entityId }) => entityId),
  );

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
export const createLoaders = (caller: Caller, { artifacts, bundles, completeness, exports, holds }: Sources) => ({
  completenessIn: perKey((environmentId: string) =>
    createBatch((releaseIds: readonly string[]) => completeness.assess(caller, { environmentId, releaseIds })),
  ),
  artifact: createBatch(async (ids: readonly string[]) => {
    const found = new Map((await artifacts.listOfIds(caller, { ids })).map((each) => [String(each.artifactId), each]));
    return ids.map((id) => found.get(id) ?? null);
  }),
  subjectsOf: perKey((first: number) =>
    createBatch(async (ids: readonly string[]) =>
      grouped(await artifacts.subjects(caller, { ids, first }), ids, ({ artifactId }) => artifactId),
    ),
  ),
  bundle: createBatch(async (ids: readonly string[]) => {
    const found = new Map((await bundles.listOfIds(caller, { ids })).map((bundle) => [String(bundle.id), bundle]));
    return ids.map((id) => found.get(id) ?? null);
  }),
  bundleOfDeployment: createBatch(async (ids: readonly string[]) => {
    const found = new Map((await bundles.listOfDeployments(caller, { ids })).map((each) => [each.subjectId, each]));
    return ids.map((id) => found.get(id) ?? null);
  }),
  lossesOf: createBatch(async (ids: readonly string[]) => {
    const found = new Map((await bundles.losses(caller, { ids })).map(({ bundleId, losses }) => [bundleId, losses]));
    return ids.map((id) => found.get(toId(id, 'EvidenceBundle')) ?? []);
  }),
  export: createBatch(async (ids: readonly string[]) => {
    const found = new Map((await exports.listOfIds(caller, { ids })).map((each) => [String(each.id), each]));
    return ids.map((id) => found.get(id) ?? null);
  }),
  exportsOf: createBatch(async (ids: readonly string[]) =>
    grouped(await exports.listOfBundles(caller, { bundleIds: ids }), ids, ({ bundleId }) => bundleId),
  ),
  ofRelease: ofThings(caller, artifacts, 'Release'),
  ofDeployment: ofThings(caller, artifacts, 'Deployment'),
  ofScan: ofThings(caller, artifacts, 'Scan'),
  holdsOf: createBatch(async (ids: readonly string[]) =>
    grouped(await holds.listOfArtifacts(caller, { ids }), ids, ({ artifactId }) => artifactId),
  ),
});

export type Loaders = ReturnType<typeof createLoaders>;
