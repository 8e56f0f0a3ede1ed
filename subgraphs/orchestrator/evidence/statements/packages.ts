import { type Archive, type ArchiveParts, createArchive } from '@landfall/attestation/archive/archive';
import { chooseIncoming, incomingOf } from '@landfall/attestation/archive/incoming-statements';
import type { TrustSource } from '@landfall/attestation/bundle/trust-source';
import * as attestations from '@landfall/attestation/statements/attestations.store';
import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import type { CallOptions, Operation } from '@landfall/kernel/operation/operation';
import Type from 'typebox';
import * as environments from '../../catalogue/environments/environment.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { readsReleases } from '../../shared/scopes.ts';
import { listAttached, listRaw } from '../images/image-statements.ts';

/** REST path of a statement's archive. */
export const packagePathOf = (ref: string): string => `/api/v1/release-orchestrator/attestations/${ref}/package`;

type Contents = Pick<ArchiveParts, 'name' | 'statements' | 'incoming' | 'left'>;

const meanings: Readonly<Record<attestations.AttestationKind, string>> = {
  deployment: 'what landed',
  verification_summary: 'that the gates let it through',
  approval: 'who approved it',
  evidence: 'what was attached as evidence',
  observation: 'what was seen running',
  scan: 'which scans of its images were completed',
};

const packed = async (query: Query, tenant: TenantId, found: readonly attestations.WholeAttestation[]) => {
  const steps = [...new Set(found.flatMap(({ environmentId }) => environmentId ?? []))];
  const names = new Map(
    (await environments.listByIds(query, tenant, steps)).map(({ id, name }) => [id, name] as const),
  );
  return found.flatMap(({ kind, id, bundle, signedAt, predicateType, environmentId }) =>
    bundle === null || signedAt === null
      ? []
      : [
          {
            directory: `${kind.replaceAll('_', '-')}-${id}`,
            bundle,
            signedAt,
            predicateType,
            meaning: meanings[kind],
            environment: environmentId === null ? undefined : names.get(environmentId),
          },
        ],
  );
};

/** File name of a release's archive; the console shows the same name. */
const nameOf = ({ name, semver }: Pick<releases.Release, 'name' | 'semver'>): string =>
  `custody-${name}-${semver}`.replaceAll(/[^A-Za-z0-9._+-]/g, '_').slice(0, 120);

/** Creates the operations that export statements as archives with everything to verify them offline. */
export const createPackages = ({ operation, trust }: Pick<Deps, 'operation'> & { readonly trust: TrustSource }) => {
  /** Builds the archive after the transaction in which its contents were read. */
  const archived = (contents: Operation<Contents>): Operation<Archive> => {
    const call = async (caller: Caller, input: unknown, options?: CallOptions): Promise<Archive> => {
      const parts = await contents(caller, input, options);
      return createArchive({ ...parts, trust: await trust.current(), documents: await trust.documents() });
    };
    return Object.assign(call, { spec: contents.spec });
  };

  return {
    ofAttestation: archived(
      operation({
        name: 'attestation.package',
        kind: 'read',
        scope: readsReleases,
        input: Type.Object({ ref: idOf('Attestation') }),
        raises: ['RES_NOT_FOUND'],
        example: { ref: exampleId('Attestation') },
        async run(caller, { ref }, query): Promise<Contents> {
          const found = await attestations.find(query, caller.tenant, ref);
          if (!found?.bundle) throw new Fault('RES_NOT_FOUND', `There is no attestation ${ref}.`, { ref });
          const statements = await packed(query, caller.tenant, [found]);
          return { name: `attestation-${ref}`, statements, incoming: [], left: [] };
        },
      }),
    ),

    ofRelease: archived(
      operation({
        name: 'release.custodyPackage',
        kind: 'read',
        scope: readsReleases,
        input: Type.Object({ releaseId: idOf('Release') }),
        raises: ['RES_RELEASE_NOT_FOUND'],
        example: { releaseId: exampleId('Release') },
        async run(caller, { releaseId }, query): Promise<Contents> {
          const { tenant } = caller;
          const release = await releases.get(query, tenant, releaseId);
          const listed = await attestations.listByReleases(query, tenant, [releaseId]);
          const ids = listed.filter(attestations.isAttested).map(({ id }) => id);
          const complete = await attestations.listWholeByIds(query, tenant, ids);
          const inOrder = complete.toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
          const { taken: occupiedPort, left: remaining } = chooseIncoming(await listAttached(query, tenant, releaseId));
          return {
            name: nameOf(release),
            statements: await packed(query, tenant, inOrder),
            incoming: incomingOf(await listRaw(query, tenant, releaseId, occupiedPort)),
            left: remaining,
          };
        },
      }),
    ),
  };
};
