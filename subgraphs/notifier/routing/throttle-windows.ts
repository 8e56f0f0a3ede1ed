import type { TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { throttleKey } from '../policies/throttle.ts';
import type { Rule } from '../rules/rule.ts';
import type { PlannedAction } from './plan.ts';
import * as store from './throttle-counts.store.ts';

interface Counted {
  readonly event: Parameters<typeof throttleKey>[0] & { readonly tenant: TenantId };
  readonly rule: Rule;
  readonly actionIndex: number;
  readonly recipient?: { readonly methodId: string } | undefined;
}

/**
 * Loads the messages in the current windows of the throttles of actions. They are locked, so that no other process sends the
 * last message of a window too; what is sent is counted at once and written by `save`.
 */
export const loadWindows = async (tx: Tx, actions: readonly Counted[]) => {
  const keys = new Map<string, { readonly tenant: TenantId; readonly key: string }>();
  for (const { event, rule, actionIndex, recipient } of actions) {
    const key = throttleKey(event, rule, actionIndex, recipient?.methodId);
    if (key !== undefined) keys.set(`${event.tenant} ${key}`, { tenant: event.tenant, key });
  }
  if (keys.size > 0) await store.lockAll(tx, [...keys.values()]);
  const rows = keys.size === 0 ? [] : await store.listCurrent(tx, [...keys.values()]);
  const counts = new Map<TenantId, Map<string, number>>();
  for (const { tenant, key, count } of rows) counts.getOrInsertComputed(tenant, () => new Map()).set(key, count);
  const added = new Map<string, Parameters<typeof store.addAll>[1][number]>();
  return {
    /** Messages of a tenant by throttle key. */
    of: (tenant: TenantId): ReadonlyMap<string, number> => counts.get(tenant) ?? new Map(),
    /** Counts the message of an outcome. */
    count(tenant: TenantId, outcome: PlannedAction['outcome']): void {
      if (outcome.kind !== 'send' || !outcome.throttle) return;
      const { key } = outcome.throttle;
      const own = counts.getOrInsertComputed(tenant, () => new Map());
      own.set(key, (own.get(key) ?? 0) + 1);
      const before = added.get(`${tenant} ${key}`)?.messages ?? 0;
      added.set(`${tenant} ${key}`, { tenant, ...outcome.throttle, messages: before + 1 });
    },
    async save(): Promise<void> {
      if (added.size > 0) await store.addAll(tx, [...added.values()]);
    },
  };
};

export type Windows = Awaited<ReturnType<typeof loadWindows>>;
