import type { TenantId } from '../core/ids.ts';
import type { BlockReason, NormalDestination } from './policy.ts';

/** Services of the installation itself (ruling 44), each as `host:port`. */
export interface OwnServices {
  /** Public addresses and roles: what a tenant sends there leaves nothing. */
  readonly services: ReadonlySet<string>;
  /** Object store, which its own client alone reaches: others may have buckets at the same address. */
  readonly objectStore: ReadonlySet<string>;
}

/** Part of the product that reaches the object store. */
export const OBJECT_STORE = 'artifacts.objects';

/** Destination with its host in the normal form, and on whose behalf it is asked. */
export interface AskedDestination extends NormalDestination {
  readonly tenant?: TenantId | undefined;
  readonly feature: string;
}

/** Whether a seal lets a request pass since it stays in the installation. */
export const isOwnService = (
  { services, objectStore }: OwnServices,
  { host, port, tenant, feature }: AskedDestination,
): boolean => {
  const at = `${host}:${port}`;
  return services.has(at) || (tenant === undefined && feature === OBJECT_STORE && objectStore.has(at));
};

interface JudgingState {
  readonly isSealed: boolean;
  judge(destination: NormalDestination): BlockReason | undefined;
}

/** First block of a sealed state, else the first reason that a state would block for. */
export const judgeBy = <State extends JudgingState>(
  states: readonly State[],
  asked: NormalDestination,
): { readonly reason: BlockReason | undefined; readonly state?: State } => {
  let advice: BlockReason | undefined;
  for (const state of states) {
    const reason = state.judge(asked);
    if (reason !== undefined && state.isSealed) return { reason, state };
    advice ??= reason;
  }
  return { reason: advice };
};
