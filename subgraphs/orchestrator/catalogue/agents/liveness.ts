/** Interval of heartbeats, in milliseconds (orchestrator 3.6). */
export const HEARTBEAT_MS = 10_000;
/** Silence after which an agent is stale, in seconds: one missed heartbeat and half an interval of jitter. */
export const STALE_SECONDS = 15;
/** Silence after which an agent is offline, in seconds: three missed heartbeats. */
export const OFFLINE_SECONDS = 30;
/** Lease of a task without a heartbeat, in seconds. */
export const LEASE_SECONDS = 30;
/** Attempts of a task: after as many expired leases the task is lost. */
export const MAX_ATTEMPTS = 2;

/** Whether an agent can carry out a deployment by a driver. */
export type Readiness = 'ready' | 'offline' | 'stale' | 'absent' | 'incapable';

interface Agent {
  readonly state: 'active' | 'stale' | 'offline' | 'revoked';
  readonly capabilities: Readonly<Record<string, string>>;
}

/** Readiness of an agent for one driver. */
export const readinessOf = ({ state, capabilities }: Agent, driver: string): Readiness => {
  if (state === 'revoked') return 'absent';
  if (state === 'offline') return 'offline';
  if (!Object.hasOwn(capabilities, driver)) return 'incapable';
  return state === 'stale' ? 'stale' : 'ready';
};
