import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import * as products from '../../catalogue/products/product.ts';
import { createDraft, replaceComponents } from '../../catalogue/releases/new-release.ts';
import * as releases from '../../catalogue/releases/release.ts';
import { actingFor, refuseCandidate } from './candidate.ts';
import * as store from './candidates.store.ts';
import { readSet } from './gathering.ts';
import { type ImageSet, notesOf } from './image-set.ts';
import { nextVersion } from './release-version.ts';

/** Creates the first step of a candidate: the draft of a set that was gathered. */
export const createDraftStep = ({ database, ids }: Pick<Deps, 'database' | 'ids'>) => {
  /** Draft of the version: a new one, or the one of a refused candidate that nobody has used. */
  const draft = async (tx: Tx, caller: Who, product: products.Product, set: ImageSet, notes: string) => {
    const unused = await store.findUnusedDraft(tx, caller.tenant, product.id);
    const found = unused && (await releases.findLocked(tx, caller.tenant, unused.id));
    const versions = await store.listVersions(tx, caller.tenant, product.id);
    const others = versions.filter((version) => version !== found?.semver);
    const version = nextVersion({ scheme: set.scheme, images: set.versions, taken: others });
    if (found && found.status === 'draft' && found.semver === version)
      return replaceComponents(tx, caller, product, found, set.components);
    return createDraft(tx, caller, product, {
      id: toId(ids.uuid(), 'Release'),
      semver: nextVersion({ scheme: set.scheme, images: set.versions, taken: versions }),
      notes,
      components: set.components,
    });
  };

  /** Creates the draft of a gathered set, or refuses or drops the set. */
  return (caller: Who, { id, productId }: store.ReleaseCandidate): Promise<void> =>
    database.write(caller.tenant, async (tx) => {
      // Before the candidate: a change of the product locks in this order.
      const product = await products.findLocked(tx, caller.tenant, productId);
      const candidate = await store.findLocked(tx, caller.tenant, id);
      if (candidate?.state !== 'gathering') return;
      const read = product && (await readSet(tx, caller.tenant, product));
      if (!product || !read?.sources.some(({ isEnabled }) => isEnabled)) {
        await store.remove(tx, caller.tenant, id);
        return;
      }
      const { set, before } = read;
      if ('reason' in set)
        return refuseCandidate(tx, caller, ids, candidate, new Fault('REL_COMPONENT_MISSING', set.reason));
      // The tags were pushed again, or moved and came back: the set has a release already.
      if (await store.hasSet(tx, caller.tenant, product.id, set.digest)) {
        await store.remove(tx, caller.tenant, id);
        return;
      }
      const release = await draft(tx, actingFor(caller, set.controllers), product, set, notesOf(set, before));
      await store.advance(tx, caller.tenant, id, {
        state: set.policy === 'draft' ? 'done' : 'drafted',
        policy: set.policy,
        setDigest: set.digest,
        releaseId: release.id,
      });
    });
};
