import { Fault } from '@landfall/kernel/core/fault';
import { type JsonObject, parseJson } from '@landfall/kernel/core/json';
import type { Digest } from '@landfall/kernel/crypto/digest';
import { digestHex } from '@landfall/kernel/crypto/digest';
import { REPOSITORY_PATTERN, TAG_PATTERN } from '@landfall/kernel/oci/repository';
import { digest as digestSchema, semver } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const digest = Type.Unsafe<Digest>(digestSchema);
const closed = { additionalProperties: false } as const;
const name = Type.String({ minLength: 1, maxLength: 128 });

/** Statement of the kit by its path. */
const statementFile = Type.String({ pattern: '^attestations/[0-9a-f-]{36}\\.json$' });
const statementFiles = Type.Array(statementFile, { maxItems: 1_000 });

const documentSchema = Type.Object(
  {
    version: Type.Literal(1),
    /** Id where it was built, as its statements name it. Kits that were built before have none. */
    releaseId: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{36}$' })),
    product: name,
    semver,
    notes: Type.Union([Type.String({ maxLength: 20_000 }), Type.Null()]),
    images: Type.Array(
      Type.Object(
        {
          name,
          /** Repository in which it was built: `host/path`. */
          repository: Type.String({ pattern: REPOSITORY_PATTERN, maxLength: 512 }),
          digest,
          mediaType: Type.String({ maxLength: 255 }),
          dependsOn: Type.Array(name, { maxItems: 100 }),
          /** Manifests attached to the image: under a tag, or as a referrer where the tag is null. */
          attached: Type.Array(
            Type.Object(
              {
                digest,
                mediaType: Type.String({ maxLength: 255 }),
                tag: Type.Union([Type.String({ pattern: TAG_PATTERN }), Type.Null()]),
              },
              closed,
            ),
            { maxItems: 256 },
          ),
        },
        closed,
      ),
      { minItems: 1, maxItems: 100 },
    ),
    /** Statements of approvals: files of the kit. Kits that were built before have no list. */
    approvals: Type.Optional(statementFiles),
    /** Statements of what the gates of an environment decided, with the policy that applied: its hash is in the statement. */
    policies: Type.Optional(
      Type.Array(
        Type.Object(
          { statement: statementFile, policy: Type.Union([Type.Unsafe<JsonObject>(Type.Object({})), Type.Null()]) },
          closed,
        ),
        { maxItems: 1_000 },
      ),
    ),
  },
  closed,
);

/** Release that a kit carries (`landfall-release.json`). */
export type ReleaseDocument = Static<typeof documentSchema>;

const validator = Compile(documentSchema);
const fits = (value: unknown): value is ReleaseDocument => validator.Check(value);

/** Image that a tag of cosign is about; undefined for another tag. */
export const subjectOfTag = (tag: string | null): Digest | undefined => {
  const hex = /^sha256-([0-9a-f]{64})(?:\.[a-z]+)?$/.exec(tag ?? '')?.[1];
  return hex === undefined ? undefined : `sha256:${hex}`;
};

/** Paths inside a release kit. The directory `release` is an OCI image layout (image-spec 1.1, image-layout.md). */
export const paths = {
  release: 'release/landfall-release.json',
  layout: 'release/oci-layout',
  index: 'release/index.json',
  trust: 'trust.json',
  blob: (digest: Digest): string => `release/blobs/sha256/${digestHex(digest)}`,
  attestation: (id: string): string => `attestations/${id}.json`,
} as const;

/** Reads the release of a kit. @throws Fault kit_content_mismatch */
export const readRelease = (text: string): ReleaseDocument => {
  const value = parseJson(text);
  if (fits(value)) return value;
  const [first] = validator.Errors(value);
  throw new Fault(
    'kit_content_mismatch',
    `${paths.release} cannot be read: ${first?.instancePath ?? ''} ${first?.message ?? 'it has another form'}.`,
    { path: paths.release },
  );
};
