import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import { getRoot } from '../roots/installed-root.ts';
import { type KitChanges, NO_CHANGES } from './changes.ts';
import type { ImportTime } from './import-requests.ts';
import * as store from './imports.store.ts';
import * as kits from './kits.store.ts';
import { expectNoOlder, isNewer, type SignedKit, verifyKit } from './manifest.ts';

/** Lease of an import in seconds, renewed with every step and by a timer. */
export const LEASE_SECONDS = 30;

/** Import that a worker performs. */
export interface ImportRun {
  /** Caller who asked for it. */
  readonly caller: Who;
  readonly row: store.KitImport;
  readonly kit: SignedKit;
  /** Notes the progress for the next renewal of the lease; a transaction takes no second connection. */
  note(done: number, total: number): void;
  /** Notes the progress and extends the lease. */
  step(done: number, total: number): Promise<void>;
}

/** Outcome of a dry run, thrown so that its transaction rolls back. */
class DryRun extends Error {
  override readonly name = 'DryRun';
  readonly changes: KitChanges;

  constructor(changes: KitChanges) {
    super('A dry run ends here.');
    this.changes = changes;
  }
}

/** Refusal of a switch while another one, or a dry run, has the channel: the import waits for a later turn. */
export class BusyChannel extends Error {
  override readonly name = 'BusyChannel';

  constructor(channel: string) {
    super(`Another import has the channel ${channel}.`);
  }
}

const lockChannel = async (...channel: Parameters<typeof kits.tryLockChannel>): Promise<void> => {
  if (!(await kits.tryLockChannel(...channel))) throw new BusyChannel(channel[2]);
};

/** Result of loading a kit. */
interface Loaded {
  readonly changes: KitChanges;
  /** Release that came with this kit; undefined where the site had it already. */
  readonly carriedReleaseId: string | undefined;
}

type Write = (use: (tx: Tx) => Promise<KitChanges>) => Promise<KitChanges>;

/** Creates the switch: the one transaction that puts a kit in force, or, in a dry run, rolls all of it back. */
export const createSwitch = ({ importTime }: { readonly importTime: ImportTime }) => {
  return async (
    { caller: { tenant }, row, kit }: ImportRun,
    write: Write,
    load: (tx: Tx) => Promise<Loaded>,
  ): Promise<KitChanges> => {
    const time = await importTime(tenant);
    const { kitId, kind, channel, sequence, components } = kit.value;
    try {
      return await write(async (tx) => {
        await lockChannel(tx, kind === 'feeds' ? '*' : tenant, channel);
        verifyKit(kit, await getRoot(tx), time);
        if (!isNewer(kit, await kits.findActive(tx, tenant, channel)))
          return (await store.get(tx, tenant, row.id)).changes ?? NO_CHANGES;
        if (kind === 'feeds') expectNoOlder(kit, await kits.findNewestShared(tx, channel));
        const { changes, carriedReleaseId } = await load(tx);
        // The release of a dry run is rolled back, so its id names nothing.
        if (row.isDryRun) throw new DryRun({ ...changes, releaseId: null });
        // Locked no earlier: the lease is renewed while the kit loads. One that another worker took meanwhile is rolled back.
        await store.getHeld(tx, tenant, row, ['queued']);
        const { digest } = kit;
        const content = { digest, kitId, kind, channel, sequence, envelope: row.envelope, changes };
        await kits.activate(
          tx,
          tenant,
          content,
          components.map(({ hash }) => hash),
        );
        if (carriedReleaseId !== undefined) await kits.insertCarried(tx, tenant, carriedReleaseId, digest);
        await store.update(tx, tenant, row.id, { state: 'switched', changes });
        return changes;
      });
    } catch (error) {
      if (error instanceof DryRun) return error.changes;
      throw error;
    }
  };
};

type Switch = ReturnType<typeof createSwitch>;

/** Reader of what a kit carries; it verifies everything before the switch and uses the network only there. */
export type Loader = (run: ImportRun, files: string, apply: Switch) => Promise<KitChanges>;
