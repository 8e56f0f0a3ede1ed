import type { Who } from '@landfall/kernel/core/caller';
import type { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import type { Product } from '../products/product.ts';
import { componentsRefusal } from '../products/product-rules.ts';
import type { resolveAll } from './component-resolution.ts';
import * as components from './components.store.ts';
import { gatedDigestSet } from './gated-digest-set.ts';
import type { ReleaseListener } from './ports.ts';
import { recordChange } from './release.ts';
import { finalizeRefusal } from './release-rules.ts';
import * as store from './releases.store.ts';

/**
 * Refuses to finalize a release, by the checks that need no registry: also what its product does not declare now, which
 * may have changed since the draft was made.
 */
export const declarationRefusal = (release: store.Release, product: Product | undefined): Fault | undefined => {
  const fields = release.components.map((component, index) => ({ field: `components.${index}`, component }));
  return finalizeRefusal(release, product) ?? (product && componentsRefusal(product, fields));
};

/** Fixes the digests of a draft that this transaction has locked, in the version whose components were resolved. */
export const finalizeLocked = async (
  tx: Tx,
  caller: Who,
  listener: Pick<ReleaseListener, 'onFinalized'>,
  id: store.ReleaseId,
  resolved: Awaited<ReturnType<typeof resolveAll>>,
): Promise<store.Release> => {
  for (const { name, ...resolution } of resolved) await components.gate(tx, caller.tenant, id, name, resolution);
  const set = gatedDigestSet(resolved);
  await store.setFinalized(tx, caller, id, set);
  await listener.onFinalized(tx, caller.tenant, id);
  return recordChange(tx, caller, 'release.finalize', id, {
    gatedDigestSet: set,
    components: resolved.map(({ name, digest }) => ({ name, digest })),
  });
};

/** Makes a finalized release ready that this transaction has locked, whose evidence is complete. */
export const makeReady = async (
  tx: Tx,
  caller: Who,
  listener: ReleaseListener,
  id: store.ReleaseId,
  data: Readonly<Record<string, unknown>> = {},
): Promise<store.Release> => {
  await store.setReady(tx, caller.tenant, id, caller.subject);
  const ready = await recordChange(tx, caller, 'release.ready', id, data);
  await listener.onReady(tx, caller, ready);
  return ready;
};
