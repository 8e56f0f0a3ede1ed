import type { Who } from '@landfall/kernel/core/caller';
import type { Tx } from '@landfall/kernel/db/query';
import type { PromotionState } from '../../shared/enums.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import * as store from './promotions.store.ts';

export const { find, get, getLocked, listByIds, listByReleases, listOpenIn, listOpenTo, setState, supersede } = store;
export type Promotion = store.Promotion;

/** Locks a promotion until the transaction ends, so that two decisions never see the same state. */
export const lockPromotion = (tx: Tx, caller: Who, id: store.PromotionId): Promise<store.Promotion> =>
  store.getLocked(tx, caller.tenant, id);

/** Changes the state of a locked promotion and publishes the event. */
export const move = async (
  tx: Tx,
  caller: Who,
  { id, state }: { readonly id: store.PromotionId; readonly state: PromotionState },
  type: string,
  data: Readonly<Record<string, unknown>>,
): Promise<store.Promotion> => {
  const promotion = await store.setState(tx, caller.tenant, id, state, caller.subject);
  await publishEvent(tx, caller, type, 'Promotion', promotion, { ...data, state });
  return promotion;
};
