import type { Caller } from '@landfall/kernel/caller';
import { Fault } from '@landfall/kernel/fault';
import { exampleId, idOf } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import type { CallOptions, Operation } from '@landfall/kernel/operation';
import Type from 'typebox';
import { listRawByRelease, type RawImageStatement } from '../admission/image-statements.store.ts';
import { releaseNotFound } from '../releases/locked.ts';
import * as releases from '../releases/releases.store.ts';
import { readsReleases } from '../scopes.ts';
import type { TrustSource } from '../verification/trust-source.ts';
import * as attestations from './attestations.store.ts';
import {
  type Archive,
  createPackage,
  type IncomingStatement,
  type PackageParts,
  type PackedStatement,
} from './package.ts';

/** Where the archive of a statement is served. */
export const packagePathOf = (ref: string): string => `/api/v1/release-orchestrator/attestations/${ref}/package`;

type Contents = Pick<PackageParts, 'name' | 'statements' | 'incoming'>;

const packed = (found: readonly attestations.WholeAttestation[]): PackedStatement[] =>
  found.flatMap(({ kind, id, bundle }) =>
    bundle === null ? [] : [{ directory: `${kind.replaceAll('_', '-')}-${id}`, bundle }],
  );

/** What of a name may stand in a directory's: names of components are of these already. */
const plain = (name: string): string => name.replaceAll(/[^a-z0-9._-]/g, '_');

const incomingOf = (found: readonly RawImageStatement[]): IncomingStatement[] =>
  found.map(({ component, format, content, annotations }, index) => ({
    directory: `incoming-${plain(component)}-${String(index + 1).padStart(2, '0')}`,
    files: [
      { path: `${format === 'signature' ? 'signed-payload' : format}.json`, bytes: content },
      { path: 'annotations.json', bytes: Buffer.from(JSON.stringify(annotations, undefined, 2)) },
    ],
  }));

/** Archives that people take away: a statement, or all of a release, with everything to check them by. */
export const createPackages = ({ operation, trust }: Pick<Deps, 'operation'> & { readonly trust: TrustSource }) => {
  /** The archive is made after the transaction in which its contents were read. */
  const archived = (contents: Operation<Contents>): Operation<Archive> => {
    const call = async (caller: Caller, input: unknown, options?: CallOptions): Promise<Archive> => {
      const parts = await contents(caller, input, options);
      return createPackage({ ...parts, trust: await trust.current(), documents: await trust.documents() });
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
        async run(who, { ref }, query): Promise<Contents> {
          const found = await attestations.find(query, who.tenant, ref);
          if (!found?.bundle) throw new Fault('RES_NOT_FOUND', `There is no attestation ${ref}.`, { ref });
          return { name: `attestation-${ref}`, statements: packed([found]), incoming: [] };
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
        async run(who, { releaseId }, query): Promise<Contents> {
          if (!(await releases.find(query, who.tenant, releaseId))) throw releaseNotFound(releaseId);
          const listed = await attestations.listByReleases(query, who.tenant, [releaseId]);
          const ids = listed.filter(attestations.isAttested).map(({ id }) => id);
          return {
            name: `custody-${releaseId}`,
            statements: packed(await attestations.listWholeByIds(query, who.tenant, ids)),
            incoming: incomingOf(await listRawByRelease(query, who.tenant, releaseId)),
          };
        },
      }),
    ),
  };
};
