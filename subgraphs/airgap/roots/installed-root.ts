import { Fault } from '@landfall/kernel/core/fault';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { checkSuccessors, type KitRoot, roots, type SignedRoot } from './root.ts';
import * as store from './roots.store.ts';
import { documentText } from './signed-document.ts';

/** Root that is installed, with the time of its installation. */
export interface InstalledRoot extends SignedRoot {
  readonly installedAt: Date;
}

export const findRoot = async (query: Query): Promise<InstalledRoot | undefined> => {
  const stored = await store.findCurrent(query);
  return stored && { ...roots.read(stored.envelope), installedAt: stored.installedAt };
};

/** Every root that was installed, by its version. */
export const readRoots = async (query: Query): Promise<ReadonlyMap<number, KitRoot>> =>
  new Map((await store.listAll(query)).map(({ version, envelope }) => [version, roots.read(envelope).value]));

/** Root under which kits are verified. @throws Fault kit_untrusted where none is installed */
export const getRoot = async (query: Query): Promise<InstalledRoot> => {
  const root = await findRoot(query);
  if (root) return root;
  throw new Fault(
    'kit_untrusted',
    'No root of kits is installed. Install the first one by the command `landfall kit root install`.',
  );
};

/**
 * Installs the next roots in order, all or none, or the first one, which the operator vouches for.
 * @throws Fault root_*, VAL_INVALID_VALUE
 */
export const installRoots = (
  database: Pick<Database, 'system'>,
  chain: readonly SignedRoot[],
  { now, by }: { readonly now: Date; readonly by: string },
): Promise<void> =>
  database.system.write(async (tx) => {
    await store.lock(tx);
    checkSuccessors(await findRoot(tx), chain, now);
    for (const root of chain) {
      const { value, digest } = root;
      await store.insert(tx, { version: value.version, digest, envelope: documentText(root), installedBy: by });
    }
  });
