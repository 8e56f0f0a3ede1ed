import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import type { EvidenceSubject } from '../shared/evidence-subject.ts';
import * as store from './bundles.store.ts';

const MEDIA_TYPE = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+/;= -]*$/;

/** Artifacts of a bundle as exports have them. */
const artifactOf = ({ sizeBytes, sha256, mediaType, storageKey: _, ...artifact }: store.BundleArtifact) => ({
  ...artifact,
  mediaType: MEDIA_TYPE.test(mediaType) ? mediaType : 'application/octet-stream',
  sha256: sha256.slice('sha256:'.length),
  size: sizeBytes,
});

/** Bundle with everything that its exports need. */
export interface FrozenBundle {
  readonly subject: EvidenceSubject | null;
  readonly artifacts: readonly ReturnType<typeof artifactOf>[];
  /** Artifacts that the store does not have any more as they were frozen, with the reason. */
  readonly losses: ReadonlyMap<string, store.BundleLoss['reason']>;
  /** Key of an artifact's object. Throws TypeError for an artifact of another bundle. */
  keyOf(artifactId: string): string;
}

/** Creates the reader of whole bundles. */
export const createBundleContents = ({ database }: Pick<Deps, 'database'>, limit: number) => ({
  read: (tenant: TenantId, id: store.BundleId): Promise<FrozenBundle> =>
    database.read(tenant, async (query) => {
      const { subjectKind, subjectId } = await store.get(query, tenant, id);
      const rows = await store.listArtifacts(query, tenant, id, { limit });
      const keys = new Map<string, string>(rows.map(({ artifactId, storageKey }) => [artifactId, storageKey]));
      const losses = await store.listLosses(query, tenant, [id]);
      return {
        subject: subjectKind !== null && subjectId !== null ? { kind: subjectKind, id: subjectId } : null,
        artifacts: rows.map(artifactOf),
        losses: new Map(losses.map(({ artifactId, reason }) => [artifactId, reason])),
        keyOf(artifactId) {
          const key = keys.get(artifactId);
          if (key === undefined) throw new TypeError(`the bundle ${id} has no artifact ${artifactId}`);
          return key;
        },
      };
    }),
});

export type BundleContents = ReturnType<typeof createBundleContents>;
