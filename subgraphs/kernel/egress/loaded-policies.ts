import type { TenantId } from '../core/ids.ts';
import { type PollingLoop, startPollingLoop } from '../core/polling-loop.ts';
import type { Database } from '../db/database.ts';
import type { Hints } from '../events/hint.ts';
import type { Log } from '../system/log.ts';
import type { DecisionCounts } from './decision-counts.ts';
import * as decisions from './decisions.store.ts';
import * as store from './policies.store.ts';
import { compilePolicy } from './policy.ts';
import type { PolicyDocument } from './policy-document.ts';

/** Policy of a tenant, compiled. */
export interface TenantPolicy {
  readonly tenant: TenantId;
  readonly isSealed: boolean;
  readonly policy: PolicyDocument;
  readonly judge: ReturnType<typeof compilePolicy>;
  readonly blockedReason: string | null;
}

/** Age in milliseconds at which policies are read again without a hint. */
const POLL_MS = 5_000;
/** Age at which policies no longer count: a process that cannot read them blocks. */
const MAX_AGE_MS = 60_000;

interface LoadedPoliciesOptions {
  readonly database: Pick<Database, 'system'>;
  readonly hints: Pick<Hints, 'of'>;
  readonly log: Log;
  readonly counts: DecisionCounts;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/**
 * Egress policies of all tenants in the memory of a process: read at start, on a hint and every five seconds. Losing
 * them is correct: nothing passes until they are read again. A stale policy holds for a minute at most.
 */
export const createLoadedPolicies = ({
  database,
  hints,
  log,
  counts,
  now = () => performance.now(),
}: LoadedPoliciesOptions) => {
  let byTenant: ReadonlyMap<TenantId, TenantPolicy> = new Map();
  let sealed: readonly TenantPolicy[] = [];
  let loadedAt = Number.NEGATIVE_INFINITY;
  let versions = '';
  let revision = 0;
  let loop: PollingLoop | undefined;
  const listeners = new Set<() => void>();

  const load = async (): Promise<void> => {
    const startedAt = now();
    const rows = await database.system.read(store.listAll);
    loadedAt = startedAt;
    const found = rows.map(({ tenant, version, blockedReason }) => `${tenant} ${version} ${blockedReason}`).join();
    if (found === versions) return;
    versions = found;
    revision += 1;
    const states = rows.flatMap(({ tenant, mode, policy, blockedReason }): TenantPolicy[] =>
      policy ? [{ tenant, isSealed: mode === 'sealed', policy, judge: compilePolicy(policy), blockedReason }] : [],
    );
    byTenant = new Map(states.map((state) => [state.tenant, state]));
    sealed = states.filter(({ isSealed }) => isSealed);
    for (const listener of listeners) listener();
  };

  const record = async (): Promise<void> => {
    const taken = counts.take();
    if (taken.length > 0) await database.system.write((tx) => decisions.add(tx, taken));
  };

  const turn = async (): Promise<boolean> => {
    await load();
    await record();
    return false;
  };

  return {
    /** Policy of a tenant; undefined for a tenant that has none. */
    of: (tenant: TenantId): TenantPolicy | undefined => byTenant.get(tenant),
    /** Policies of sealed tenants. */
    sealed: (): readonly TenantPolicy[] => sealed,
    /** Whether the policies were read in the last minute. */
    isCurrent: (): boolean => now() - loadedAt <= MAX_AGE_MS,
    /** Number that grows with each change of any policy. */
    revision: (): number => revision,
    /** Calls a listener after each change of any policy. @returns the function that ends it */
    onChange(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Reads the policies now. */
    load,
    /** Writes the decisions that were counted since the last time. */
    record,
    /** Reads the policies and keeps them current until `close`. */
    async start(): Promise<void> {
      await load();
      loop ??= startPollingLoop({
        pollMs: POLL_MS,
        hints: hints.of('AirGap'),
        turn,
        onError: (err) => log.error({ err }, 'egress policies'),
      });
    },
    async close(): Promise<void> {
      await loop?.[Symbol.asyncDispose]();
      await record().catch((err: unknown) => log.error({ err }, 'egress decisions'));
    },
  };
};

export type LoadedPolicies = ReturnType<typeof createLoadedPolicies>;
