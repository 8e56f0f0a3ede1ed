import type { Tx } from '@landfall/kernel/db/query';
import * as deliveries from '../deliveries/deliveries.store.ts';
import * as suppressions from '../deliveries/suppressions.store.ts';
import { type NewId, rowsOf } from './outcome-rows.ts';
import type { Planning, Wanted } from './planning.ts';
import type { RoutingMeters } from './routing-meters.ts';
import * as waitingEvents from './waiting-events.store.ts';

interface SettlementDeps {
  readonly planAll: Planning;
  readonly meters: RoutingMeters;
  readonly newId: NewId;
}

/** Creates the writing of what becomes of events. */
export const createRoutingSettlement = ({ planAll, meters, newId }: SettlementDeps) => {
  const suppress = async (tx: Tx, rows: readonly suppressions.NewSuppression[]): Promise<void> => {
    for (const { tenant, policy } of rows) meters.suppressed(tenant, policy);
    if (rows.length > 0) await suppressions.insertAll(tx, rows);
  };

  /** Plans actions and writes what becomes of their events. @returns the number of deliveries */
  const settle = async (tx: Tx, wanted: readonly Wanted[]): Promise<number> => {
    if (wanted.length === 0) return 0;
    const { sent, waiting, suppressed } = rowsOf(await planAll(tx, wanted), newId);
    if (sent.length > 0) await deliveries.insertAll(tx, sent);
    if (waiting.length > 0) await waitingEvents.upsertAll(tx, waiting);
    await suppress(tx, suppressed);
    return sent.length;
  };

  return { suppress, settle };
};

export type RoutingSettlement = ReturnType<typeof createRoutingSettlement>;
