import { systemCaller, type Who } from '@landfall/kernel/core/caller';
import { asFault, Fault, hidesCause } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { SigningKeys } from '@landfall/kernel/crypto/signing/signer';
import { isDatabaseFault, isRetryable } from '@landfall/kernel/db/errors';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import { pollingWorker } from '@landfall/kernel/work/polling-worker';
import { getRoot } from '../roots/installed-root.ts';
import { type KitChanges, NO_CHANGES } from './changes.ts';
import type { AnchoredNow, ImportTime } from './import-requests.ts';
import { BusyChannel, createSwitch, type ImportRun, LEASE_SECONDS, type Loader } from './import-run.ts';
import type { ImporterMeters } from './importer-meters.ts';
import * as store from './imports.store.ts';
import type { KitDirectories } from './inbox.ts';
import * as kits from './kits.store.ts';
import { isNewer, type KitKind, readManifest, verifyKit } from './manifest.ts';
import { signReceipt } from './receipt.ts';

const POLL_MS = 2_000;
/** Leases after which an import ends: what kills its worker would kill the next one too. */
const MAX_ATTEMPTS = 5;
/** Seconds until an import whose channel is busy is due again. */
const BUSY_SECONDS = 10;
/** Also the time after which pages show the progress. */
const RENEW_MS = (LEASE_SECONDS * 1_000) / 6;

const recordImport = eventsOf('KitImport');

interface WorkerDeps extends Pick<Deps, 'database' | 'ids' | 'hints' | 'log'> {
  readonly directories: KitDirectories;
  readonly anchoredNow: AnchoredNow;
  readonly importTime: ImportTime;
  readonly loaders: Readonly<Record<KitKind, Loader>>;
  readonly meters: ImporterMeters;
  readonly signingKeys: Pick<SigningKeys, 'signer'>;
}

/** RFC 3339 in whole seconds, as signed documents have it. */
const wholeSeconds = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

/** Creates the worker that performs imports of kits. */
export const createImportWorker = (deps: WorkerDeps) => {
  const { database, ids, hints, log, directories, anchoredNow, importTime, loaders, meters, signingKeys } = deps;
  const apply = createSwitch({ importTime });

  const callerOf = (tenant: TenantId, { requestedBy, requestedThrough }: store.KitImport): Who => ({
    ...systemCaller(tenant, requestedBy, ids.uuid()),
    clientId: requestedThrough,
  });

  const quarantineOf = ({ caller, kit, row }: ImportRun) =>
    directories.quarantine(caller.tenant, kit.digest, `${row.id}-${row.fence}`);

  /** Ends an import, with its event. @throws LostLease */
  const end = async (
    { caller, row, kit }: ImportRun,
    changes: Parameters<typeof store.update>[3] & { readonly state: 'complete' | 'failed' | 'waiting' },
    receipt?: string,
  ): Promise<void> => {
    const { kitId, channel, sequence } = kit.value;
    const hasEnded = await database.write(caller.tenant, async (tx) => {
      const held = await store.getHeld(tx, caller.tenant, row);
      // Content in force stays so: only its receipt is missing, which the next turn signs.
      if (changes.state === 'failed' && held.state === 'switched') return false;
      // A request since the start brought parts that this turn has not seen.
      if (changes.state === 'waiting' && held.version !== row.version) {
        await store.update(tx, caller.tenant, row.id, { state: 'queued' });
        return false;
      }
      const ended = await store.update(tx, caller.tenant, row.id, changes);
      if (receipt !== undefined) await kits.setReceipt(tx, caller.tenant, kit.digest, receipt);
      const data = { kitId, kitDigest: kit.digest, channel, sequence, isDryRun: row.isDryRun };
      const { failureCode, missingParts } = ended;
      await recordImport(tx, caller, `kit.${changes.state}`, ended, { ...data, failureCode, missingParts });
      return changes.state !== 'waiting';
    });
    if (hasEnded)
      meters.ended(changes.state === 'failed' ? 'failed' : row.isDryRun ? 'dry_run' : 'complete', caller.tenant);
  };

  /** Removes the parts of a kit, unless another import needs them, or a later one of a kit that came on several media. */
  const clean = async (run: ImportRun): Promise<void> => {
    const { caller, kit } = run;
    const isNeeded = await database.read(caller.tenant, async (query) => {
      const installed = await kits.findByDigest(query, caller.tenant, kit.digest);
      const isScattered = !installed && kit.value.archive.parts.length > 1;
      return isScattered || (await store.findAnyOpen(query, caller.tenant, kit.digest)) !== undefined;
    });
    if (!isNeeded) await quarantineOf(run).remove();
  };

  /** Signs the receipt of what is in force, and ends the import. */
  const complete = async (run: ImportRun, changes: KitChanges): Promise<void> => {
    const { caller, row, kit } = run;
    const { kitId, channel, sequence } = kit.value;
    const receipt = row.isDryRun
      ? undefined
      : await signReceipt(
          {
            ...{ tenant: caller.tenant, kitId, kitDigest: kit.digest, channel, sequence, changes },
            anchoredAt: wholeSeconds(await anchoredNow(caller.tenant)),
            actor: caller.subject,
          },
          await signingKeys.signer('manifest'),
        );
    await end(run, { state: 'complete', changes, missingParts: [] }, receipt);
    await clean(run);
  };

  /** Whether the kit is not installed yet. @throws Fault of a kit that is refused */
  const judge = async ({ caller: { tenant }, kit }: ImportRun): Promise<boolean> => {
    const time = await importTime(tenant);
    return database.read(tenant, async (query) => {
      verifyKit(kit, await getRoot(query), time);
      return isNewer(kit, await kits.findActive(query, tenant, kit.value.channel));
    });
  };

  const load = async (run: ImportRun): Promise<void> => {
    const { row, kit } = run;
    if (row.state === 'switched') return complete(run, row.changes ?? NO_CHANGES);
    if (row.attempts > MAX_ATTEMPTS)
      throw new Fault(
        'SYS_INTERNAL_ERROR',
        `The import was interrupted ${MAX_ATTEMPTS} times. See the log, then request it again.`,
      );
    if (!(await judge(run))) {
      await end(run, { state: 'complete', changes: NO_CHANGES });
      return clean(run);
    }
    const quarantine = quarantineOf(run);
    const source = row.source === null ? undefined : directories.inboxFolder(run.caller.tenant, row.source);
    const missingParts = [...(await quarantine.collectParts(source, kit.value, run.step))];
    if (missingParts.length > 0) return end(run, { state: 'waiting', missingParts });
    await failpoint('kit.taken');
    await using _ = await quarantine.extract(kit.value);
    await failpoint('kit.extracted');
    const changes = await loaders[kit.value.kind](run, quarantine.files, apply);
    await failpoint('kit.switched');
    await complete(run, changes);
  };

  /** Renews the lease of an import by steps and by a timer, for steps that take longer than it. */
  const renewed = (tenant: TenantId, held: store.Held) => {
    let progress = { done: 0, total: 0 };
    const renew = () =>
      database.write(tenant, (tx) => store.renew(tx, tenant, held, { ...progress, leaseSeconds: LEASE_SECONDS }));
    let isRenewing = false;
    const renewByTime = async (): Promise<void> => {
      // One that is slow is not joined by others, which would take every connection.
      if (isRenewing) return;
      isRenewing = true;
      await renew()
        .catch((err: unknown) => log.warn({ err, tenant, import: held.id }, 'lease of an import'))
        .finally(() => {
          isRenewing = false;
        });
    };
    const timer = setInterval(() => void renewByTime(), RENEW_MS).unref();
    const note = (done: number, total: number): void => {
      progress = { done, total };
    };
    return {
      note,
      async step(done: number, total: number): Promise<void> {
        note(done, total);
        await renew();
      },
      [Symbol.dispose]: () => clearInterval(timer),
    };
  };

  const fail = async (run: ImportRun, error: unknown): Promise<void> => {
    if (error instanceof store.LostLease) throw error;
    const { caller, row } = run;
    if (error instanceof BusyChannel) {
      await database.write(caller.tenant, (tx) => store.postpone(tx, caller.tenant, row, BUSY_SECONDS));
      return;
    }
    if (isDatabaseFault(error) || isRetryable(error)) {
      // Another turn begins once the lease has run out; the number of leases bounds them.
      log.warn({ err: error, tenant: caller.tenant, import: row.id }, 'import of a kit is repeated');
      return;
    }
    const fault = asFault(error);
    if (hidesCause(fault)) log.error({ err: error, tenant: caller.tenant, import: row.id }, 'import of a kit');
    await end(run, { state: 'failed', failureCode: fault.code, failureMessage: fault.message });
    await clean(run);
  };

  const perform = async (tenant: TenantId, held: store.Held): Promise<void> => {
    const row = await database.read(tenant, (query) => store.get(query, tenant, held.id));
    if (row.fence !== held.fence) return;
    using lease = renewed(tenant, held);
    const run: ImportRun = {
      caller: callerOf(tenant, row),
      row,
      kit: readManifest(row.envelope),
      note: lease.note,
      step: lease.step,
    };
    try {
      await load(run).catch((error: unknown) => fail(run, error));
    } catch (error) {
      if (!(error instanceof store.LostLease)) throw error;
      log.warn({ tenant, import: held.id }, error.message);
    }
  };

  /** Performs the oldest import that is due, and returns the number of imports. */
  const turn = async (): Promise<number> => {
    const due = await database.system.write((tx) => store.leaseDue(tx, LEASE_SECONDS));
    if (!due) return 0;
    await perform(due.tenant, due);
    return 1;
  };

  return {
    turn,
    worker: pollingWorker({ name: 'airgap.kitImports', pollMs: POLL_MS, hints: hints.of('KitImport'), log, turn }),
  };
};
