import { listByReleases as listAttestations } from '@landfall/attestation/statements/attestations.store';
import { exampleId, type Id, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import * as releases from '../../catalogue/releases/release.ts';
import { readsReleases } from '../../shared/scopes.ts';
import { listReadings, listStatements } from '../images/image-statements.ts';
import type { CustodyStep, GatedComponent } from './chain.ts';
import { custodyOf } from './custody-rule.ts';
import { listEstateCounts } from './estate-counts.store.ts';

/** Custody chain of one release. */
export interface Custody {
  readonly releaseId: Id<'Release'>;
  readonly steps: readonly CustodyStep[];
}

/** Component with a fixed digest, or none. Finalize sets the media type; before that the digest is only declared. */
const gated = ({ name, digest, mediaType, platforms }: releases.Component): readonly GatedComponent[] =>
  digest === null || mediaType === null ? [] : [{ name, digest, platforms }];

/** Reads the custody chains of these releases in five statements, however many releases there are. */
export const listCustodies = async (query: Query, tenant: TenantId, ids: readonly Id<'Release'>[]) => {
  const components = await releases.listComponents(query, tenant, ids);
  const readings = await listReadings(query, tenant, ids);
  const statements = await listStatements(query, tenant, ids);
  const attestations = await listAttestations(query, tenant, ids);
  const estateCounts = await listEstateCounts(query, tenant, ids);
  return ids.map((releaseId) => {
    const isOwn = (row: { readonly releaseId: Id<'Release'> }): boolean => row.releaseId === releaseId;
    const steps = custodyOf({
      components: components.filter(isOwn).flatMap(gated),
      reading: readings.find(isOwn),
      statements: statements.filter(isOwn),
      attestations: attestations.filter(isOwn),
      estateCounts: estateCounts.filter(isOwn),
    });
    return { releaseId, steps };
  });
};

/** Creates the operations on custody chains, from the source of a release to the running software. */
export const createCustody = ({ operation }: Pick<Deps, 'operation'>) => ({
  get: operation({
    name: 'custody.get',
    cost: 200,
    kind: 'read',
    scope: readsReleases,
    input: Type.Object({ releaseId: idOf('Release') }),
    raises: ['RES_RELEASE_NOT_FOUND'],
    example: { releaseId: exampleId('Release') },
    async run(caller, { releaseId }, query) {
      await releases.get(query, caller.tenant, releaseId);
      const [custody] = await listCustodies(query, caller.tenant, [releaseId]);
      if (!custody) throw new TypeError(`release ${releaseId} has no custody`);
      return custody;
    },
  }),
});
