import { isLoopback } from '@landfall/kernel/system/address';
import { defineSettings, type Settings } from '@landfall/kernel/system/settings';

export const artifactSettings = defineSettings({
  mountRetrieval: {
    type: 'boolean',
    default: false,
    env: 'ARTIFACTS__MOUNTRETRIEVAL',
    name: 'Artifacts:MountRetrieval',
    description: 'Whether REST serves `/api/v1/artifacts`; otherwise it answers 404. The graph always has artifacts.',
  },
  directory: {
    type: 'string',
    env: 'ARTIFACTS__PATH',
    name: 'Artifacts:Path',
    description:
      'Directory of the objects and of what is being received; unset, `artifacts` in the data directory. The container image sets `/var/lib/landfall/artifacts`.',
  },
  prefix: {
    type: 'string',
    default: 'artifacts',
    env: 'ARTIFACTS__PREFIX',
    name: 'Artifacts:Prefix',
    description: 'First part of every object’s key; `/` for none.',
  },
  scrubDays: {
    type: 'integer',
    default: 30,
    min: 1,
    max: 3_650,
    env: 'ARTIFACTS__SCRUBDAYS',
    name: 'Artifacts:ScrubDays',
    description: 'Days within which every object is read again and its hash compared.',
  },
  retentionDays: {
    type: 'integer',
    default: 3_650,
    min: 1,
    max: 36_500,
    env: 'ARTIFACTS__RETENTIONDAYS',
    name: 'Artifacts:RetentionDays',
    description:
      'Days that an artifact is kept at least. It holds for what is put from then on: the end of a retention never comes nearer.',
  },
  s3Endpoint: {
    type: 'url',
    schemes: ['https', 'http'],
    env: 'ARTIFACTS__S3__ENDPOINT',
    name: 'Artifacts:S3:Endpoint',
    description:
      'Address of an S3-compatible object store, which then holds the objects instead of the disk; `https`, or `http` on this machine.',
  },
  s3Bucket: {
    type: 'string',
    env: 'ARTIFACTS__S3__BUCKET',
    name: 'Artifacts:S3:Bucket',
    description: 'Bucket of the objects, of this installation alone.',
  },
  s3Region: {
    type: 'string',
    default: 'us-east-1',
    env: 'ARTIFACTS__S3__REGION',
    name: 'Artifacts:S3:Region',
    description: 'Region that requests are signed for.',
  },
  s3AccessKeyId: {
    type: 'string',
    env: 'ARTIFACTS__S3__ACCESSKEYID',
    name: 'Artifacts:S3:AccessKeyId',
    secret: true,
    description: 'Access key of the object store.',
  },
  s3SecretAccessKey: {
    type: 'string',
    env: 'ARTIFACTS__S3__SECRETACCESSKEY',
    name: 'Artifacts:S3:SecretAccessKey',
    secret: true,
    description: 'Secret of the access key.',
  },
  s3PathStyle: {
    type: 'boolean',
    default: true,
    env: 'ARTIFACTS__S3__PATHSTYLE',
    name: 'Artifacts:S3:PathStyle',
    description: 'Whether the bucket is in the path of addresses; otherwise it is the first part of the host’s name.',
  },
  s3ObjectLock: {
    type: 'string',
    oneOf: ['none', 'governance', 'compliance'],
    default: 'none',
    env: 'ARTIFACTS__S3__OBJECTLOCK',
    name: 'Artifacts:S3:ObjectLock',
    description:
      'Mode in which the bucket itself keeps each object until its retention ends, and while it is under a hold; for a bucket with Object Lock.',
  },
  maxBytes: {
    type: 'integer',
    default: 268_435_456,
    min: 1,
    max: 5_000_000_000,
    env: 'ARTIFACTS__MAXBYTES',
    name: 'Artifacts:MaxBytes',
    description: 'Size of the largest artifact, in bytes.',
  },
});

export type ArtifactSettings = Settings<typeof artifactSettings>;

/** Prefix of keys without slashes at its ends. */
export const prefixOf = ({ prefix }: Pick<ArtifactSettings, 'prefix'>): string => prefix.replace(/^\/+|\/+$/g, '');

/** Bucket of an S3-compatible object store, and the way to it. */
export interface BucketSettings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly isPathStyle: boolean;
}

/** Bucket of the objects; undefined where they are on disk. @throws Error that names a setting that is missing or wrong */
export const bucketOf = (settings: ArtifactSettings): BucketSettings | undefined => {
  const { s3Endpoint: endpoint, s3Bucket: bucket, s3AccessKeyId: accessKeyId, s3SecretAccessKey } = settings;
  if (endpoint === undefined) return undefined;
  const { protocol, hostname, search, username } = new URL(endpoint);
  if ((protocol === 'http:' && !isLoopback(hostname)) || search !== '' || username !== '')
    throw new Error('Artifacts:S3:Endpoint must be https, or http on this machine, without credentials or a query.');
  if (bucket === undefined || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new Error('Artifacts:S3:Bucket must be the name of a bucket: 3 to 63 small letters, digits, "." and "-".');
  if (accessKeyId === undefined || s3SecretAccessKey === undefined)
    throw new Error('Artifacts:S3:AccessKeyId and Artifacts:S3:SecretAccessKey are both needed.');
  const { s3Region: region, s3PathStyle: isPathStyle } = settings;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey: s3SecretAccessKey, isPathStyle };
};

/** Checks what one setting cannot. Throws an Error that names the setting and what it must be. */
export const checkArtifactSettings = (settings: ArtifactSettings): void => {
  const prefix = prefixOf(settings);
  if (!/^[\w.\-/]{0,200}$/.test(prefix) || prefix.split('/').some((part) => /^\.*$/.test(part) && prefix !== ''))
    throw new Error(
      'Artifacts:Prefix (ARTIFACTS__PREFIX) must be letters, digits, ".", "_" and "-", with single slashes between them.',
    );
  bucketOf(settings);
};
