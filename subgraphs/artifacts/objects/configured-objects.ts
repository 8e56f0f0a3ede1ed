import { join, resolve } from 'node:path';
import { systemClock } from '@landfall/kernel/core/clock';
import type { Deps } from '@landfall/kernel/module';
import { type ArtifactSettings, bucketOf } from '../shared/settings.ts';
import { createDiskObjects } from './disk-objects.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Client } from './s3-client.ts';
import { createS3Objects } from './s3-objects.ts';

/** Directory of the store on this machine: of objects that are in no bucket, and of what is being received. */
export const directoryOf = ({ directory }: Pick<ArtifactSettings, 'directory'>, dataDir: string): string =>
  resolve(directory ?? join(dataDir, 'artifacts'));

/** Creates the storage of the objects: a bucket if the settings name one, else a directory. */
export const createObjects = (
  deps: Pick<Deps, 'http' | 'ids'>,
  settings: ArtifactSettings,
  directory: string,
): ObjectStore => {
  const bucket = bucketOf(settings);
  // Servers compare the time of a signature with theirs, so it is this machine's.
  if (bucket) return createS3Objects(createS3Client({ ...deps, bucket, now: systemClock.now }), settings.s3ObjectLock);
  return createDiskObjects({
    objects: join(directory, 'objects'),
    quarantine: join(directory, 'quarantine'),
    trash: join(directory, 'trash'),
  });
};
