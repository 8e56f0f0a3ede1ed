import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { digest, freeText, instant, oneOf } from '@landfall/kernel/operation/input';
import { MAX_PAGE, pageOf } from '@landfall/kernel/operation/page';
import Type, { type Static } from 'typebox';
import { ARTIFACT_TYPES } from '../shared/artifact-type.ts';
import * as store from './artifacts.store.ts';
import { createContinuationTokens } from './continuation-token.ts';
import * as references from './references.store.ts';
import * as subjects from './subjects.store.ts';

export type { Artifact } from './artifacts.store.ts';
export type { ArtifactSubject } from './subjects.store.ts';

const filterFields = {
  serialNumber: Type.Optional(Type.String({ maxLength: 500 })),
  type: Type.Optional(oneOf(...ARTIFACT_TYPES)),
  from: Type.Optional(instant),
  to: Type.Optional(instant),
  first: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
  after: Type.Optional(Type.String({ maxLength: 500 })),
};

const listInput = Type.Object({ bomRef: freeText(1_000), ...filterFields });

const searchInput = Type.Object({
  bomRef: Type.Optional(freeText(1_000)),
  subjectDigest: Type.Optional(digest),
  verdict: Type.Optional(oneOf(...subjects.VERDICTS)),
  ...filterFields,
});

const DEFAULT_PAGE = 50;
/** Subjects or references of one artifact, or artifacts of one thing, that a request reads. */
const [DEFAULT_LISTED, MAX_LISTED] = [20, 1_000] as const;

const firstField = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LISTED }));

const firstOfArtifacts = Type.Object({ ids: Type.Array(idOf('Artifact'), { maxItems: 1_000 }), first: firstField });

/** Page of artifacts. */
export interface ArtifactPage {
  readonly items: readonly store.Artifact[];
  readonly hasNextPage: boolean;
  /** Token that continues the list after an artifact of this page. */
  tokenAfter(artifact: store.Artifact): string;
}

/** Creates the operations that read the index of artifacts. Any caller of the tenant may (spec 4.5). */
export const createArtifacts = ({ operation, secrets }: Pick<Deps, 'operation' | 'secrets'>) => {
  const tokens = createContinuationTokens(secrets);

  const page = async (
    { tenant }: { readonly tenant: Parameters<typeof store.list>[1] },
    { first = DEFAULT_PAGE, after, ...filter }: Static<typeof searchInput>,
    query: Parameters<typeof store.list>[0],
  ): Promise<ArtifactPage> => {
    const position = after === undefined ? undefined : tokens.decode(tenant, filter, after);
    const rows = await store.list(query, tenant, filter, { after: position, limit: first + 1 });
    return {
      ...pageOf(rows, first),
      tokenAfter: ({ createdAt, artifactId }) =>
        tokens.encode(tenant, filter, { createdAt: createdAt.toISOString(), artifactId }),
    };
  };

  return {
    /** Artifacts of a bom-ref, newest first. */
    list: operation({
      name: 'artifact.list',
      kind: 'read',
      scope: [],
      input: listInput,
      example: { bomRef: 'pkg:oci/shop' },
      run: page,
    }),

    /** Artifacts by any conditions, newest first. */
    search: operation({
      name: 'artifact.search',
      kind: 'read',
      scope: [],
      input: searchInput,
      run: page,
    }),

    get: operation({
      name: 'artifact.get',
      kind: 'read',
      scope: [],
      input: Type.Object({ id: idOf('Artifact') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('Artifact') },
      run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
    }),

    /** First artifacts that are evidence of some releases, deployments or scans, with the number of all, for loaders. */
    listOfThings: operation({
      name: 'artifact.listOfThings',
      kind: 'read',
      scope: [],
      input: Type.Object({
        kind: oneOf(...references.REFERENCE_KINDS),
        ids: Type.Array(Type.String({ format: 'uuid' }), { maxItems: 1_000 }),
        first: firstField,
      }),
      example: { kind: 'Release', ids: [exampleId('Release')] },
      run: ({ tenant }, { kind, ids, first = DEFAULT_LISTED }, query) =>
        store.listByReferences(query, tenant, kind, { ids, first }),
    }),

    /** Artifacts of some ids, for loaders. */
    listOfIds: operation({
      name: 'artifact.listOfIds',
      kind: 'read',
      scope: [],
      input: Type.Object({ ids: Type.Array(idOf('Artifact'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('Artifact')] },
      run: ({ tenant }, { ids }, query) => store.listByIds(query, tenant, ids),
    }),

    /** First things that some artifacts are evidence of, with the number of all, for loaders. */
    references: operation({
      name: 'artifact.listReferences',
      kind: 'read',
      scope: [],
      input: firstOfArtifacts,
      example: { ids: [exampleId('Artifact')] },
      run: ({ tenant }, { ids, first = DEFAULT_LISTED }, query) =>
        references.listByArtifacts(query, tenant, ids, first),
    }),

    /** First digests that some artifacts are about, with the number of all, for loaders. */
    subjects: operation({
      name: 'artifact.listSubjects',
      kind: 'read',
      scope: [],
      input: firstOfArtifacts,
      example: { ids: [exampleId('Artifact')] },
      run: ({ tenant }, { ids, first = DEFAULT_LISTED }, query) => subjects.listByArtifacts(query, tenant, ids, first),
    }),
  };
};
