import { type DecisionCount, PLATFORM } from './decisions.store.ts';

/** Destinations that a process tells apart between two recordings; those above share one entry of each tenant. */
const MOST = 2_000;

type Counted = Pick<DecisionCount, 'host' | 'port' | 'transport' | 'feature'> & {
  readonly tenant?: string | undefined;
};

/** Creates the count of a process's decisions until they are recorded. */
export const createDecisionCounts = () => {
  let counts = new Map<string, DecisionCount>();
  return {
    add(
      { tenant = PLATFORM, host, port, transport, feature }: Counted,
      reason: string | undefined,
      isBlocked: boolean,
    ): void {
      const full = `${tenant} ${host} ${port} ${transport} ${feature}`;
      const isKnown = counts.size < MOST || counts.has(full);
      const key = isKnown ? full : `${tenant} * ${transport} ${feature}`;
      const { allowed = 0, blocked = 0, reason: last = null } = counts.get(key) ?? {};
      counts.set(key, {
        tenant,
        ...(isKnown ? { host, port } : { host: '*', port: 0 }),
        transport,
        feature,
        allowed: allowed + (isBlocked ? 0 : 1),
        blocked: blocked + (isBlocked ? 1 : 0),
        reason: reason ?? last,
      });
    },
    /** Removes and returns the counts. */
    take(): readonly DecisionCount[] {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
  };
};

export type DecisionCounts = ReturnType<typeof createDecisionCounts>;
