import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import type { EvidenceSubject } from '../shared/evidence-subject.ts';
import * as store from './bundles.store.ts';

const MEDIA_TYPE = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+/;= -]*$/;

/** Rows in memory at once. */
const PAGE = 1_000;

/** Artifact of a bundle as exports have it. */
const artifactOf = ({ sizeBytes, sha256, mediaType, ...artifact }: store.BundleArtifact) => ({
  ...artifact,
  mediaType: MEDIA_TYPE.test(mediaType) ? mediaType : 'application/octet-stream',
  sha256: sha256.slice('sha256:'.length),
  size: sizeBytes,
});

/** Bundle with everything that its exports need. */
export interface FrozenBundle {
  readonly subject: EvidenceSubject | null;
  /** Artifacts by their path, read by the page: a bundle has up to 20,000. */
  artifacts(): AsyncGenerator<ReturnType<typeof artifactOf>>;
  /** Artifacts that the store does not have any more as they were frozen, with the reason. */
  readonly losses: ReadonlyMap<string, store.BundleLoss['reason']>;
}

/** Creates the reader of whole bundles. */
export const createBundleContents = ({ database }: Pick<Deps, 'database'>) => {
  /** A bundle never changes, so its pages need no common transaction. */
  async function* artifactsOf(tenant: TenantId, id: store.BundleId) {
    let after: string | undefined;
    for (;;) {
      const page = { after, limit: PAGE };
      const rows = await database.read(tenant, (query) => store.listArtifacts(query, tenant, id, page));
      for (const row of rows) yield artifactOf(row);
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.path;
    }
  }

  return {
    read: (tenant: TenantId, id: store.BundleId): Promise<FrozenBundle> =>
      database.read(tenant, async (query) => {
        const { subjectKind, subjectId } = await store.get(query, tenant, id);
        const losses = await store.listLosses(query, tenant, [id]);
        return {
          subject: subjectKind !== null && subjectId !== null ? { kind: subjectKind, id: subjectId } : null,
          artifacts: () => artifactsOf(tenant, id),
          losses: new Map(losses.map(({ artifactId, reason }) => [artifactId, reason])),
        };
      }),
  };
};

export type BundleContents = ReturnType<typeof createBundleContents>;
