import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import { event } from '@landfall/kernel/events/write';
import type { PromotionState } from '../../shared/enums.ts';
import * as store from './promotions.store.ts';

export const promotionNotFound = (id: string): Fault =>
  new Fault('RES_PROMOTION_NOT_FOUND', `There is no promotion ${id}.`, { id });

/** The promotion, locked until the transaction ends: two decisions never see the same state. */
export const lockPromotion = async (tx: Tx, who: Who, id: store.PromotionId): Promise<store.Promotion> => {
  const promotion = await store.lock(tx, who.tenant, id);
  if (!promotion) throw promotionNotFound(id);
  return promotion;
};

/** Moves a locked promotion and tells it. */
export const move = async (
  tx: Tx,
  who: Who,
  { id, state }: { readonly id: store.PromotionId; readonly state: PromotionState },
  type: string,
  data: Readonly<Record<string, unknown>>,
): Promise<store.Promotion> => {
  const promotion = await store.setState(tx, who.tenant, id, state, who.subject);
  await event(tx, who, type, { entity: 'Promotion', id, version: promotion.version, data: { ...data, state } });
  return promotion;
};
