import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import type { Sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps, ReleaseDirectory } from '@landfall/kernel/module';
import { oneOf } from '@landfall/kernel/operation/input';
import { pageFields, readPage } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import type { EvidenceSubject } from '../shared/evidence-subject.ts';
import { MAX_BUNDLE_ARTIFACTS } from '../shared/limits.ts';
import { EVIDENCE_EXPORT, EVIDENCE_READ } from '../shared/scopes.ts';
import * as store from './bundles.store.ts';

/** Artifacts that a request chooses one by one. */
const MAX_CHOSEN = 1_000;

const record = eventsOf('EvidenceBundle');

const subject = Type.Object({ kind: oneOf('release', 'deployment'), id: Type.String({ format: 'uuid' }) });

interface BundleDeps extends Pick<Deps, 'operation' | 'ids'> {
  readonly releases: ReleaseDirectory;
}

/** Creates the operations on evidence bundles: lists of artifacts that are frozen when they are made. */
export const createBundles = ({ operation, ids, releases }: BundleDeps) => {
  const freeze = async (tx: Tx, who: Who, about: EvidenceSubject | undefined, chosen: Sql) => {
    const { tenant, subject: createdBy } = who;
    const measured = await store.measure(tx, tenant, chosen);
    if (measured.artifactCount > MAX_BUNDLE_ARTIFACTS)
      throw new Fault(
        'RES_CONFLICT',
        `A bundle has at most ${MAX_BUNDLE_ARTIFACTS} artifacts, and these are ${measured.artifactCount}. Choose fewer.`,
      );
    const id = toId(ids.uuid(), 'EvidenceBundle');
    const { kind: subjectKind = null, id: subjectId = null } = about ?? {};
    const bundle = await store.insert(tx, tenant, { id, subjectKind, subjectId, createdBy, ...measured });
    const artifactCount = await store.freeze(tx, tenant, id, chosen);
    if (artifactCount !== measured.artifactCount)
      throw new Fault('RES_CONFLICT', 'The artifacts changed while they were collected. Try again.');
    await record(tx, who, 'bundle.create', bundle, { subjectKind, subjectId, artifactCount });
    return bundle;
  };

  /** Freezes the evidence about a release or a deployment. @throws Fault RES_NOT_FOUND, RES_CONFLICT */
  const createOf = async (tx: Tx, who: Who, about: EvidenceSubject): Promise<store.EvidenceBundle> => {
    const digests = await releases.imagesOf(tx, who.tenant, about);
    if (!digests) throw new Fault('RES_NOT_FOUND', `There is no ${about.kind} ${about.id}.`, { id: about.id });
    return freeze(tx, who, about, store.aboutSubject(who.tenant, about, digests));
  };

  /** Freezes the evidence about a subject for a worker, unless the worker did so before. @throws as `createOf` */
  const ensureOf = async (tx: Tx, who: Who, about: EvidenceSubject): Promise<void> => {
    const [known] = await store.listMadeBy(tx, who.tenant, about.kind, [about.id], who.subject);
    if (!known) await createOf(tx, who, about);
  };

  return {
    createOf,
    ensureOf,

    /** @throws Fault RES_NOT_FOUND */
    exists: async (query: Query, tenant: TenantId, id: store.BundleId): Promise<void> =>
      void (await store.get(query, tenant, id)),

    create: operation({
      name: 'bundle.create',
      kind: 'write',
      scope: EVIDENCE_EXPORT,
      input: Type.Object({
        subject: Type.Optional(subject),
        artifactIds: Type.Optional(
          Type.Array(idOf('Artifact'), { minItems: 1, maxItems: MAX_CHOSEN, uniqueItems: true }),
        ),
      }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { artifactIds: [exampleId('Artifact')] },
      async run(who, { subject: about, artifactIds }, tx) {
        if ((about === undefined) === (artifactIds === undefined)) {
          const message = 'give either the subject or the ids of the artifacts';
          throw invalid([{ field: 'subject', message, code: 'VAL_REQUIRED_FIELD' }]);
        }
        if (about) return createOf(tx, who, about);
        const bundle = await freeze(tx, who, undefined, store.withIds(artifactIds ?? []));
        if (bundle.artifactCount !== artifactIds?.length)
          throw new Fault('RES_NOT_FOUND', 'One of these artifacts does not exist.', { artifactIds });
        return bundle;
      },
    }),

    get: operation({
      name: 'bundle.get',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ id: idOf('EvidenceBundle') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('EvidenceBundle') },
      run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
    }),

    list: operation({
      name: 'bundle.list',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ subject: Type.Optional(subject), ...pageFields }),
      run: ({ tenant }, { subject: about, ...page }, query) =>
        readPage(page, (bounds) => store.list(query, tenant, about, bounds)),
    }),

    /** Bundles that the platform made of some deployments when their landing was attested, for loaders. */
    listOfDeployments: operation({
      name: 'bundle.listOfDeployments',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ ids: Type.Array(Type.String({ format: 'uuid' }), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('Deployment')] },
      run: ({ tenant }, { ids: deployments }, query) =>
        store.listMadeBy(query, tenant, 'deployment', deployments, 'artifacts.arrivals'),
    }),

    /** First bundles that list some artifacts, with the number of all, for loaders. */
    listOfArtifacts: operation({
      name: 'bundle.listOfArtifacts',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({
        ids: Type.Array(idOf('Artifact'), { maxItems: 1_000 }),
        first: pageFields.first,
      }),
      example: { ids: [exampleId('Artifact')] },
      run: ({ tenant }, { ids: artifacts, first = 20 }, query) =>
        store.listByArtifacts(query, tenant, artifacts, first),
    }),

    /** Bundles of some ids, for loaders. */
    listOfIds: operation({
      name: 'bundle.listOfIds',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ ids: Type.Array(idOf('EvidenceBundle'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('EvidenceBundle')] },
      run: ({ tenant }, { ids: bundles }, query) => store.listByIds(query, tenant, bundles),
    }),

    /** Artifacts of a bundle in the order of their paths, after a path. */
    artifacts: operation({
      name: 'bundle.listArtifacts',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({
        id: idOf('EvidenceBundle'),
        first: pageFields.first,
        after: Type.Optional(Type.String({ maxLength: 300 })),
      }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('EvidenceBundle') },
      async run({ tenant }, { id, first = 50, after }, query) {
        await store.get(query, tenant, id);
        return store.listArtifacts(query, tenant, id, { after, limit: first });
      },
    }),

    /** Lost artifacts of some bundles, for loaders. */
    losses: operation({
      name: 'bundle.listLosses',
      kind: 'read',
      scope: EVIDENCE_READ,
      input: Type.Object({ ids: Type.Array(idOf('EvidenceBundle'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('EvidenceBundle')] },
      async run({ tenant }, { ids: bundles }, query) {
        const found = await store.listByIds(query, tenant, bundles);
        const losses = Map.groupBy(await store.listLosses(query, tenant, bundles), ({ bundleId }) => bundleId);
        return found.map(({ id }) => ({ bundleId: id, losses: losses.get(id) ?? [] }));
      },
    }),
  };
};

export type Bundles = ReturnType<typeof createBundles>;
