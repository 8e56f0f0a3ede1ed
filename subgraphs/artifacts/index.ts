import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Caller } from '@landfall/kernel/core/caller';
import { buildSubgraph } from '@landfall/kernel/graph/subgraph';
import { type Deps, defineModule } from '@landfall/kernel/module';
import type { Context } from './context.ts';
import { createLoaders } from './loaders.ts';
import { createDiskObjects } from './objects/disk-objects.ts';
import { createStaging } from './objects/staging.ts';
import { createArtifacts } from './records/artifacts.ts';
import { createPutting } from './records/putting.ts';
import { createReading } from './records/reading.ts';
import { resolvers } from './resolvers.ts';
import { type ArtifactSettings, artifactSettings, checkArtifactSettings, prefixOf } from './shared/settings.ts';

export type { Artifact } from './records/artifacts.ts';

interface ArtifactSurroundings {
  /** Directory of the platform's data. */
  readonly dataDir: string;
}

/** Evidence of tenants: artifacts, their index and their bytes (spec 2.6, 4.5). */
export const createArtifactStore = (deps: Deps, settings: ArtifactSettings, { dataDir }: ArtifactSurroundings) => {
  const directory = resolve(settings.directory ?? join(dataDir, 'artifacts'));
  const objects = createDiskObjects(join(directory, 'objects'));
  const staging = createStaging(join(directory, 'incoming'), settings.maxBytes);
  const { put, receive, stageStream, putStream } = createPutting({
    ...deps,
    objects,
    staging,
    prefix: prefixOf(settings),
  });
  const reading = createReading({ ...deps, objects });
  const artifacts = { ...createArtifacts(deps), put, receive, read: reading.content };
  return {
    name: 'artifacts',
    operations: [
      artifacts.put,
      artifacts.receive,
      artifacts.list,
      artifacts.search,
      artifacts.get,
      artifacts.subjects,
      artifacts.read,
    ],
    schema: buildSubgraph(new URL('./schema.graphql', import.meta.url), resolvers),
    context: (caller: Caller): Context => ({ caller, artifacts, loaders: createLoaders(caller, artifacts) }),
    workers: [],
    artifacts,
    stageStream,
    putStream,
    /** Bytes of an artifact, hashed while they are read. */
    readArtifact: reading.readArtifact,
    /** Size of the largest artifact, in bytes. */
    maxBytes: settings.maxBytes,
    /** Whether REST has the routes of artifacts (rulings 9). */
    hasRetrieval: settings.mountRetrieval,
  };
};

export type ArtifactStore = ReturnType<typeof createArtifactStore>;

export const artifactsModule = defineModule({
  name: 'artifacts',
  settings: artifactSettings,
  migrations: fileURLToPath(new URL('./migrations', import.meta.url)),
  seed: async () => (await import('./testing/seed.ts')).artifactsSeed,
  configure: (settings, { dataDir }) => {
    checkArtifactSettings(settings);
    return (deps) => createArtifactStore(deps, settings, { dataDir });
  },
});
