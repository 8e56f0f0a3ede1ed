import { Fault } from '@landfall/kernel/core/fault';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { checkSuccessor, roots, type SignedRoot } from './root.ts';
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
 * Installs the next root, or the first one, which the operator vouches for.
 * @throws Fault root_*
 */
export const installRoot = (
  database: Pick<Database, 'system'>,
  next: SignedRoot,
  { now, by }: { readonly now: Date; readonly by: string },
): Promise<void> =>
  database.system.write(async (tx) => {
    await store.lock(tx);
    checkSuccessor(await findRoot(tx), next, now);
    const { value, digest } = next;
    await store.insert(tx, { version: value.version, digest, envelope: documentText(next), installedBy: by });
  });
