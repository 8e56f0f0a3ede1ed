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
    /** Adds a decision; without outcome its reason alone. */
    add(
      { tenant = PLATFORM, host, port, transport, feature }: Counted,
      reason: string | undefined,
      outcome: 'allowed' | 'blocked' | undefined,
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
        allowed: allowed + (outcome === 'allowed' ? 1 : 0),
        blocked: blocked + (outcome === 'blocked' ? 1 : 0),
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
