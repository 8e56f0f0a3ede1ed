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

/** Checks what one setting cannot. Throws an Error that names the setting and what it must be. */
export const checkArtifactSettings = (settings: ArtifactSettings): void => {
  const prefix = prefixOf(settings);
  if (!/^[\w.\-/]{0,200}$/.test(prefix) || prefix.split('/').some((part) => /^\.*$/.test(part) && prefix !== ''))
    throw new Error(
      'Artifacts:Prefix (ARTIFACTS__PREFIX) must be letters, digits, ".", "_" and "-", with single slashes between them.',
    );
};
