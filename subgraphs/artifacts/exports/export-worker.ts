import { parseTrust } from '@landfall/attestation/bundle/trust';
import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { eventsOf, notice } from '@landfall/kernel/events/write';
import type { Deps, DocumentSeal } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import type { BundleContents, FrozenBundle } from '../bundles/bundle-contents.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { inOrder, readChecked } from './artifact-content.ts';
import { ArtifactChanged, type ArtifactReader, type FrozenArtifact } from './evidence-artifact.ts';
import * as store from './exports.store.ts';
import type { MissingArtifact } from './manifest.ts';
import { sealExport } from './sealed-export.ts';

/** Lease in seconds: longer than a slow key device, an authority and the largest artifact take together. */
const LEASE_SECONDS = 600;
/** Time after which the lease is renewed, however few artifacts were read. */
const RENEW_MS = 60_000;
const POLL_MS = 2_000;
const MAX_ATTEMPTS = 5;
/** Artifacts between two notes of the progress. */
const STEP = 1_000;

const record = eventsOf('EvidenceExport');

interface ExportWorkerDeps extends Pick<Deps, 'database' | 'clock' | 'ids' | 'hints' | 'log'> {
  readonly objects: Pick<ObjectStore, 'open'>;
  readonly contents: BundleContents;
  /** Has an artifact read again whose bytes are not those that were frozen. */
  doubt(tenant: TenantId, artifactId: string): Promise<unknown>;
  readonly seal: DocumentSeal;
  readonly platformDomain: string;
}

/** Another attempt has the export. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** No attempt came to its end. */
class WorkerKilled extends Error {
  override readonly name = 'WorkerKilled';
}

/** Message for tenants in fixed words: an error's text may name files, devices or addresses. */
const failureOf = (error: unknown): string => {
  if (error instanceof WorkerKilled) return `Each of ${MAX_ATTEMPTS} attempts was cut short.`;
  return error instanceof Fault
    ? `It could not be read, signed or timestamped (${error.code}).`
    : 'It could not be signed or timestamped.';
};

const isWhole = async (reader: ArtifactReader, artifact: FrozenArtifact): Promise<boolean> => {
  try {
    const content = await readChecked(reader, artifact);
    if (!(content instanceof Uint8Array)) for await (const _chunk of content);
    return true;
  } catch (error) {
    if (error instanceof ArtifactChanged) return false;
    throw error;
  }
};

/** Creates the worker that makes exports: it reads every artifact, then signs and timestamps the manifest. */
export const createExportWorker = (deps: ExportWorkerDeps) => {
  const { database, clock, ids, hints, log, objects, contents, doubt, seal, platformDomain } = deps;

  const renew = async (held: store.LeasedExport, checked: number): Promise<void> => {
    const caller = systemCaller(held.tenant, 'artifacts.exports', ids.uuid());
    await database.write(held.tenant, async (tx) => {
      const renewed = await store.renew(tx, held, checked, LEASE_SECONDS);
      if (!renewed) throw new LeaseLost('another attempt has this export');
      await notice(tx, caller, 'export.progress', { entity: 'EvidenceExport', id: held.id, version: renewed.version });
    });
  };

  /** Reads every artifact again. Those that are gone or changed are not exported, and listed with the reason. */
  const check = (held: store.LeasedExport, { artifacts, losses }: FrozenBundle) => {
    const reader: ArtifactReader = { open: async (key, size) => (await objects.open(key, size))?.bytes };
    const missing: MissingArtifact[] = [];
    let checked = 0;
    let renewedAt = clock.now().getTime();
    async function* whole(): AsyncGenerator<FrozenArtifact> {
      const results = inOrder(artifacts(), async (artifact) => ({ artifact, isSame: await isWhole(reader, artifact) }));
      for await (const { artifact, isSame } of results) {
        const { artifactId, sha256, size } = artifact;
        const loss = losses.get(artifactId);
        if (isSame && !loss) yield artifact;
        else missing.push({ artifactId, sha256, size, reason: loss ?? 'corrupt' });
        if (!isSame && !loss) await doubt(held.tenant, artifactId);
        checked += 1;
        if (checked % STEP !== 0 && clock.now().getTime() - renewedAt < RENEW_MS) continue;
        await renew(held, checked);
        renewedAt = clock.now().getTime();
      }
    }
    return { artifacts: whole(), missing, checkedCount: () => checked };
  };

  const sealOf = async (held: store.LeasedExport) => {
    const signer = await seal.signer();
    const known = await seal.trust();
    // The first timestamp of an installation creates the certificate that the trust document must name.
    const isComplete = parseTrust(known).authorities.length > 0;
    if (!isComplete) await seal.stamp(Buffer.from(held.id));
    return { signer, stamp: seal.stamp, trust: isComplete ? known : await seal.trust(), keys: await seal.keys() };
  };

  const complete = async (held: store.LeasedExport): Promise<void> => {
    const { tenant, id: exportId, bundleId, createdAt } = held;
    const bundle = await contents.read(tenant, bundleId);
    const { artifacts, missing, checkedCount } = check(held, bundle);
    const { subject } = bundle;
    const { files, ...sealed } = await sealExport(
      { tenant, exportId, bundleId, subject, platformDomain, createdAt, artifacts, missing },
      () => sealOf(held),
    );
    await failpoint('artifacts.export.sealed');
    const caller = systemCaller(tenant, 'artifacts.exports', ids.uuid());
    await database.write(tenant, async (tx) => {
      const counts = { checkedCount: checkedCount(), missingCount: missing.length };
      const ended = await store.complete(tx, held, { ...sealed, ...counts });
      if (!ended) throw new LeaseLost('another attempt has this export');
      for (const file of files) await store.insertFile(tx, held, file);
      const data = { bundle: bundleId, rootHash: sealed.rootHash, missing: missing.length };
      await record(tx, caller, 'export.complete', { id: exportId, version: ended.version }, data);
      await failpoint('artifacts.export.completing');
    });
  };

  const giveUp = async (held: store.LeasedExport, error: unknown): Promise<void> => {
    const { tenant, id, attempts, bundleId } = held;
    const caller = systemCaller(tenant, 'artifacts.exports', ids.uuid());
    await database.write(tenant, async (tx) => {
      if (attempts < MAX_ATTEMPTS) return void (await store.postpone(tx, held, 2 ** attempts));
      const failure = failureOf(error);
      const ended = await store.fail(tx, held, failure);
      if (ended) await record(tx, caller, 'export.fail', { id, version: ended.version }, { bundle: bundleId, failure });
    });
  };

  /** Makes the export that waits longest, and returns the number of exports that it tried. */
  const turn = async (): Promise<number> => {
    const held = await database.system.write((tx) => store.lease(tx, LEASE_SECONDS));
    if (!held) return 0;
    await failpoint('artifacts.export.leased');
    // Its worker was killed each time: another attempt would be, too.
    if (held.attempts > MAX_ATTEMPTS) {
      await giveUp(held, new WorkerKilled('every attempt was cut short'));
      return 1;
    }
    try {
      await complete(held);
    } catch (error) {
      log.error({ err: error, tenant: held.tenant, export: held.id }, 'artifacts.exports');
      if (!(error instanceof LeaseLost)) await giveUp(held, error);
    }
    return 1;
  };

  return {
    turn,
    worker: pollingWorker({
      name: 'artifacts.exports',
      pollMs: POLL_MS,
      hints: hints.of('EvidenceExport'),
      log,
      turn,
    }),
  };
};
