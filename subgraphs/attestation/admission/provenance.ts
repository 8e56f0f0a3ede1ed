import { type Digest, isDigest } from '@landfall/kernel/crypto/digest';
import Type from 'typebox';
import { Compile } from 'typebox/compile';

export interface Commit {
  /** Commit id in lower-case hex: SHA-1, or SHA-256 of newer repositories. */
  readonly id: string;
  readonly uri: string;
}

/** Content of an in-toto statement that admission judges. */
export interface StatementClaims {
  readonly predicateType: string;
  /** Digests of the images that the statement is about. */
  readonly subjects: readonly Digest[];
  /** Commits that the statement is about: those of a source's verification summary. */
  readonly commits: readonly string[];
  readonly says:
    | { readonly kind: 'provenance'; readonly builderId: string; readonly source: Commit | undefined }
    | { readonly kind: 'source-summary'; readonly levels: readonly string[]; readonly isPassed: boolean }
    | { readonly kind: 'signature' }
    | { readonly kind: 'other' };
}

const predicateTypes = {
  provenance1: 'https://slsa.dev/provenance/v1',
  provenance02: 'https://slsa.dev/provenance/v0.2',
  summary: 'https://slsa.dev/verification_summary/v1',
  /** Predicate type of cosign's own signatures, represented as statements. */
  cosign: 'https://sigstore.dev/cosign/sign/v1',
} as const;

const digests = Type.Record(Type.String(), Type.String());
const dependency = Type.Object({ uri: Type.Optional(Type.String()), digest: Type.Optional(digests) });

const statement = Compile(
  Type.Object({
    _type: Type.Union([
      Type.Literal('https://in-toto.io/Statement/v1'),
      Type.Literal('https://in-toto.io/Statement/v0.1'),
    ]),
    subject: Type.Array(Type.Object({ digest: digests }), { minItems: 1, maxItems: 1024 }),
    predicateType: Type.String({ minLength: 1, maxLength: 512 }),
    predicate: Type.Optional(Type.Unknown()),
  }),
);

const builder = Type.Object({ id: Type.String({ minLength: 1, maxLength: 2048 }) });

const provenance1 = Compile(
  Type.Object({
    buildDefinition: Type.Object({ resolvedDependencies: Type.Optional(Type.Array(dependency, { maxItems: 4096 })) }),
    runDetails: Type.Object({ builder }),
  }),
);

const provenance02 = Compile(
  Type.Object({
    builder,
    invocation: Type.Optional(Type.Object({ configSource: Type.Optional(dependency) })),
    materials: Type.Optional(Type.Array(dependency, { maxItems: 4096 })),
  }),
);

const summary = Compile(
  Type.Object({
    verificationResult: Type.String(),
    verifiedLevels: Type.Array(Type.String({ maxLength: 256 }), { maxItems: 64 }),
  }),
);

const simpleSigning = Compile(
  Type.Object({
    critical: Type.Object({
      type: Type.Literal('cosign container image signature'),
      image: Type.Object({ 'docker-manifest-digest': Type.String() }),
    }),
  }),
);

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

type Dependency = { readonly uri?: string; readonly digest?: Readonly<Record<string, string>> };

/** Commit of a dependency. A `sha1` counts only if the address names git, since a tarball may have one too. */
const commitOf = ({ uri = '', digest = {} }: Dependency): Commit | undefined => {
  const id = digest.gitCommit ?? (/^git\+|\.git(?:@|$)/.test(uri) ? digest.sha1 : undefined);
  return id !== undefined && COMMIT.test(id) ? { id, uri } : undefined;
};

const sourceOf = (dependencies: readonly (Dependency | undefined)[]): Commit | undefined => {
  for (const each of dependencies) {
    const commit = each && commitOf(each);
    if (commit) return commit;
  }
  return undefined;
};

const malformed = (type: string): string => `its predicate is no ${type}`;

/** Claims of a predicate, or the reason why it cannot be read. */
const claimsOf = (predicateType: string, predicate: unknown): StatementClaims['says'] | string => {
  switch (predicateType) {
    case predicateTypes.provenance1: {
      if (!provenance1.Check(predicate)) return malformed('SLSA provenance v1');
      const { buildDefinition, runDetails } = predicate;
      const source = sourceOf(buildDefinition.resolvedDependencies ?? []);
      return { kind: 'provenance', builderId: runDetails.builder.id, source };
    }
    case predicateTypes.provenance02: {
      if (!provenance02.Check(predicate)) return malformed('SLSA provenance v0.2');
      const { builder: by, invocation, materials = [] } = predicate;
      return { kind: 'provenance', builderId: by.id, source: sourceOf([invocation?.configSource, ...materials]) };
    }
    case predicateTypes.summary: {
      if (!summary.Check(predicate)) return malformed('SLSA verification summary');
      const { verificationResult, verifiedLevels: levels } = predicate;
      const isOfSource = levels.some((level) => level.startsWith('SLSA_SOURCE_LEVEL_'));
      return isOfSource
        ? { kind: 'source-summary', levels, isPassed: verificationResult === 'PASSED' }
        : { kind: 'other' };
    }
    case predicateTypes.cosign:
      return { kind: 'signature' };
    default:
      return { kind: 'other' };
  }
};

const parse = (payload: Buffer): unknown => {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** Claims of an in-toto statement (version 0.1 or 1), or the reason why it cannot be read. */
export const readStatement = (payload: Buffer): StatementClaims | string => {
  const document = parse(payload);
  if (!statement.Check(document)) return 'it is no in-toto statement';
  const { subject, predicateType, predicate } = document;
  const claims = claimsOf(predicateType, predicate);
  if (typeof claims === 'string') return claims;
  const subjects = subject.flatMap(({ digest: { sha256 = '' } }) => {
    const digest = `sha256:${sha256}`;
    return isDigest(digest) ? [digest] : [];
  });
  const commits = subject.flatMap(({ digest: { gitCommit, sha1 } }) => gitCommit ?? sha1 ?? []);
  return { predicateType, subjects, commits, says: claims };
};

/** Reads the signed digest of cosign's simple signing payload, or the reason why it cannot be read. */
export const readSimpleSigning = (payload: Buffer): StatementClaims | string => {
  const document = parse(payload);
  if (!simpleSigning.Check(document)) return 'it is no simple signing payload of cosign';
  const digest = document.critical.image['docker-manifest-digest'];
  if (!isDigest(digest)) return 'it names no digest of an image';
  return {
    predicateType: 'application/vnd.dev.cosign.simplesigning.v1+json',
    subjects: [digest],
    commits: [],
    says: { kind: 'signature' },
  };
};
