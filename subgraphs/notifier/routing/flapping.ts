import type { TenantId } from '@landfall/kernel/core/ids';
import { toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { conditionKey } from '../events/condition-key.ts';
import * as conditions from '../events/conditions.store.ts';
import { isMomentary } from '../events/event.ts';
import type { StoredEvent } from '../events/events.store.ts';
import type { CompiledFlapping, PolicySnapshot } from '../policies/decision.ts';
import { type FlappingState, quietAt, recordStatus, settleFlapping } from '../policies/flapping.ts';

/** Policy that an event's condition flaps by, with the effect of the event. */
export type Flapping = NonNullable<PolicySnapshot['flapping']>;

interface Recorded {
  readonly row: conditions.StoredCondition;
  readonly flapping: Flapping | null;
}

const keyOf = ({ tenant, key }: { readonly tenant: TenantId; readonly key: string }): string => `${tenant} ${key}`;

/** State of a condition under a policy; changes that another policy counted do not count. */
const stateOf = ({ status, changedAt, policyId, dueAt }: conditions.StoredCondition, id: string): FlappingState => {
  const isFiring = status !== 'resolved';
  if (policyId !== id) return { isFiring, changedAt: [], isFlapping: false };
  return { isFiring, changedAt: changedAt.map((at) => new Date(at)), isFlapping: dueAt !== null };
};

const recordIn = (
  row: conditions.StoredCondition,
  event: StoredEvent,
  policies: readonly CompiledFlapping[],
  now: Date,
): Recorded => {
  const common = { ...row, eventId: event.id, status: event.status };
  const policy = policies.find(({ applies }) => applies(event))?.policy;
  if (!policy) return { row: { ...common, changedAt: [], policyId: null, dueAt: null }, flapping: null };
  const { state, effect } = recordStatus(stateOf(row, policy.id), policy, event.status, now);
  const changedAt = state.changedAt.map((at) => at.toISOString());
  const dueAt = quietAt(state, policy);
  return {
    row: { ...common, changedAt, policyId: toId(policy.id, 'NotificationPolicy'), dueAt },
    flapping: { policy, effect },
  };
};

interface Surroundings {
  readonly policiesOf: (tenant: TenantId) => readonly CompiledFlapping[];
  readonly now: Date;
}

/**
 * Ends the flapping of conditions that are quiet by now, under the locks of their rows.
 * @returns them with the events that are told again
 */
export const endFlapping = async (
  tx: Tx,
  rows: readonly conditions.StoredCondition[],
  { policiesOf, now }: Surroundings,
): Promise<readonly conditions.StoredCondition[]> => {
  const settled = rows.map((row) => {
    const policy = policiesOf(row.tenant).find(({ policy: { id } }) => id === row.policyId)?.policy;
    // The clock of this process may be behind that of the database.
    const at = row.dueAt && row.dueAt > now ? row.dueAt : now;
    const step = policy && settleFlapping(stateOf(row, policy.id), policy, at);
    // The policy may have been changed to a longer quiet time, or have ended.
    return step?.effect === 'continues' && policy
      ? { row: { ...row, dueAt: quietAt(step.state, policy) }, hasEnded: false }
      : { row: { ...row, changedAt: [], dueAt: null }, hasEnded: true };
  });
  if (settled.length > 0)
    await conditions.setAll(
      tx,
      settled.map(({ row }) => row),
    );
  return settled.filter(({ hasEnded }) => hasEnded).map(({ row }) => row);
};

/**
 * Records the status of the conditions of events, under the locks of their rows. An event that is older than one that was
 * recorded says nothing new.
 * @returns the flapping policy of each event that has one, by the event's id
 */
export const recordConditions = async (
  tx: Tx,
  events: readonly StoredEvent[],
  { policiesOf, now }: Surroundings,
): Promise<ReadonlyMap<string, Flapping>> => {
  const lasting = events.filter((event) => !isMomentary(event)).map((event) => ({ event, key: conditionKey(event) }));
  if (lasting.length === 0) return new Map();
  const wanted = new Map<string, Parameters<typeof conditions.lockAll>[1][number]>();
  for (const { event, key } of lasting) wanted.getOrInsert(key, { tenant: event.tenant, key, eventId: event.id });
  const rows = new Map((await conditions.lockAll(tx, [...wanted.values()])).map((row) => [keyOf(row), row]));
  const flapping = new Map<string, Flapping>();
  for (const { event, key } of lasting) {
    const at = keyOf({ tenant: event.tenant, key });
    const row = rows.get(at);
    if (!row || event.id < row.eventId) continue;
    const recorded = recordIn(row, event, policiesOf(event.tenant), now);
    rows.set(at, recorded.row);
    if (recorded.flapping) flapping.set(event.id, recorded.flapping);
  }
  await conditions.setAll(tx, [...rows.values()]);
  return flapping;
};
