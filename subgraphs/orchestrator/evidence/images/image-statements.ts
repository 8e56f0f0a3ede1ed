import { type Signer, signerOf } from '@landfall/attestation/admission/signer';
import { list as listSigners } from '@landfall/attestation/admission/trusted-signers.store';
import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Worker } from '@landfall/kernel/core/worker';
import type { Tx } from '@landfall/kernel/db/query';
import { notice } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import Type from 'typebox';
import { REGISTRY_RAISES, type Registries } from '../../catalogue/integrations/registries.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { refuse } from '../../shared/permission.ts';
import { operates } from '../../shared/scopes.ts';
import { type ReadComponent, readImages } from './image-reader.ts';
import * as readings from './image-readings.store.ts';
import * as statements from './image-statements.store.ts';

export const { insert: scheduleReading, listByReleases: listReadings } = readings;
export const { listByRelease: listAttached, listByReleases: listStatements, listRaw, listSources } = statements;
export type ImageReading = readings.ImageReading;
export type ImageSource = statements.ImageSource;
export type ImageStatement = statements.ImageStatement;

const BATCH = 4;
/** Lease of a reading, in seconds: longer than reading one release and storing the result can take. */
const LEASE_SECONDS = 180;
const POLL_MS = 2_000;

interface ReadingDeps extends Pick<Deps, 'operation' | 'database' | 'ids' | 'hints' | 'log'> {
  readonly registries: Pick<Registries, 'attachments'>;
}

const draftRefusal = ({ status, id }: releases.Release): Fault | undefined =>
  status === 'draft'
    ? new Fault('RES_CONFLICT', `Release ${id} is a draft; its images are not fixed yet.`, {
        state: status,
        allowed: ['finalized', 'ready', 'deprecated'],
      })
    : undefined;

type Found = Readonly<Record<'all' | 'signed' | 'proven', number>>;

/** Replaces the statements of an earlier reading. */
const save = async (tx: Tx, caller: Who, id: releases.ReleaseId, read: readonly ReadComponent[]): Promise<Found> => {
  await statements.clear(tx, caller.tenant, id);
  for (const { component, judgements } of read)
    for (const judgement of judgements)
      if (judgement.purpose !== null)
        await statements.insert(tx, caller.tenant, { releaseId: id, component, purpose: judgement.purpose }, judgement);
  const unread = read.flatMap((component) => component.unread);
  await readings.settle(tx, caller.tenant, id, unread);
  const all = read.flatMap(({ judgements }) => judgements);
  const states = Object.groupBy(all, ({ state }) => state);
  return { proven: states.proven?.length ?? 0, signed: states.signed?.length ?? 0, all: all.length };
};

/** Creates the operations and the worker that read statements about source and build of a release's images. */
export const createImageStatements = ({ operation, database, ids, hints, log, registries }: ReadingDeps) => {
  const load = (caller: Who, id: releases.ReleaseId) =>
    database.read(
      caller.tenant,
      async (query): Promise<{ release: releases.Release; signers: Signer[] } | undefined> => {
        const release = await releases.find(query, caller.tenant, id);
        return release && { release, signers: (await listSigners(query, caller.tenant)).map(signerOf) };
      },
    );

  const settle = async (caller: Who, id: releases.ReleaseId): Promise<void> => {
    const known = await load(caller, id);
    if (!known) return;
    const read = await readImages(registries, caller, known.release.components, known.signers);
    await failpoint('images.read');
    await database.write(caller.tenant, async (tx) => {
      if (read instanceof Fault) {
        await readings.postpone(tx, caller.tenant, id, read.message);
        return;
      }
      const release = await releases.findLocked(tx, caller.tenant, id);
      if (!release) return;
      const found = await save(tx, caller, id, read);
      // Most images have nothing attached, and an empty result has no actor.
      const { version } = release;
      if (found.all === 0) await notice(tx, caller, 'release.imageStatements', { entity: 'Release', id, version });
      else await releases.recordChange(tx, caller, 'release.imageStatements', id, found);
    });
  };

  /** Reads the releases that are due, one at a time, and returns their number. */
  const turn = async (): Promise<number> => {
    for (let read = 0; read < BATCH; read++) {
      // One at a time: a lease begins when its reading does.
      const [due] = await database.system.write((tx) => readings.leaseDue(tx, 1, LEASE_SECONDS));
      if (!due) return read;
      const { tenant, releaseId } = due;
      const caller = systemCaller(tenant, 'orchestrator.imageStatements', ids.uuid());
      // The lease expires and the release is due again; until then none of its rows is half-written.
      await settle(caller, releaseId).catch((error: unknown) =>
        log.error({ err: error, tenant, release: releaseId }, 'image statements'),
      );
    }
    return BATCH;
  };

  const worker: Worker = pollingWorker({
    name: 'orchestrator.imageStatements',
    pollMs: POLL_MS,
    hints: hints.of('Release', 'TrustedSigner'),
    log,
    turn,
  });

  const operations = {
    read: operation({
      name: 'release.readImageStatements',
      cost: 500,
      isRemote: true,
      kind: 'write',
      scope: operates,
      input: Type.Object({ releaseId: idOf('Release') }),
      raises: ['RES_RELEASE_NOT_FOUND', 'RES_CONFLICT', ...REGISTRY_RAISES],
      example: { releaseId: exampleId('Release') },
      async prepare(caller, { releaseId }) {
        const known = await load(caller, releaseId);
        if (!known) throw releases.notFound(releaseId);
        refuse(draftRefusal(known.release));
        const read = await readImages(registries, caller, known.release.components, known.signers);
        if (read instanceof Fault) throw read;
        return read;
      },
      async run(caller, { releaseId }, tx, read) {
        await releases.getLocked(tx, caller.tenant, releaseId);
        const found = await save(tx, caller, releaseId, read);
        return releases.recordChange(tx, caller, 'release.imageStatements', releaseId, found);
      },
    }),
  };

  return { operations, turn, worker };
};
