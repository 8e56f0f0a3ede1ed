import { isDigest } from '@landfall/kernel/crypto/digest';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

/** Image or another artifact, by its digest. The orchestrator joins it to releases and to what runs. */
export interface ArtifactDigest {
  readonly digest: string;
}

export const artifactOf = (digest: string | null): ArtifactDigest | null => (digest === null ? null : { digest });

const isRelease = Compile(
  Type.Object({
    components: Type.Array(
      Type.Object({
        digest: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        platforms: Type.Array(Type.Object({ digest: Type.String() })),
      }),
    ),
  }),
);

/**
 * Digests of the images of a release, platforms included, as the orchestrator represents it (Apollo Federation,
 * `@requires`). A component of a draft may have none yet.
 */
export const imageDigestsOf = (release: object): string[] => {
  const value: unknown = release;
  if (!isRelease.Check(value)) return [];
  const digests = value.components.flatMap(({ digest, platforms }) => [digest, ...platforms.map((one) => one.digest)]);
  return digests.filter((digest) => digest !== undefined && digest !== null && isDigest(digest));
};
