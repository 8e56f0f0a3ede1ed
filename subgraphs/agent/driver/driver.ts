import type { Distribution } from '../oci/distribution.ts';
import type { Identity, Releases, Resolved } from '../oci/releases.ts';
import type { Component, Task } from '../protocol/messages.ts';
import type { RunningComponent } from '../state/target-record.ts';
import type { ProcessRef } from './proc.ts';

export type Start = Readonly<{
  task: Task;
  component: Component;
  digest: RunningComponent['platformDigest'];
  env: Readonly<Record<string, string>>;
  port: number;
  run: string;
  /** The target's own directory, and the file in it that this start may write to. */
  directory: string;
  logFile: string;
}>;

/** One component as it was brought, and whether it is the one in service. */
export type Placement = Readonly<{ task: Task; running: RunningComponent; directory: string; isServing: boolean }>;

/** Release that a target's only location serves. */
export type Serve = Readonly<{
  task: Task;
  placements: readonly Placement[];
  directory: string;
  /** Environment of the task with its secrets opened; read only by drivers that need it. */
  environment(): Promise<Readonly<Record<string, string>>>;
}>;

/**
 * A way to run releases. A routed one runs two beside each other, and the agent's router gives each its share of the
 * requests. One that is not has a single place: a release lies ready, and is then put there by `serve`.
 */
export type Driver = Readonly<{
  name: string;
  version: string;
  isRouted: boolean;
  releases: Releases;
  /** Brings what a release needs to this host; answers the bytes that came over the network. */
  fetch(distribution: Distribution, resolved: Resolved, signal: AbortSignal): Promise<number>;
  prepare(resolved: Resolved, signal: AbortSignal): Promise<unknown>;
  /** Starts a process, or lays a release ready where the driver has none; then null. Raises AGT_TASK_FAILED. */
  start(start: Start): Promise<ProcessRef | null>;
  /** Whether it runs; null where that cannot be told at the moment. */
  isAlive(seat: Placement): Promise<boolean | null>;
  /** Ends what was started, or takes away what was laid ready. */
  stop(seat: Placement, timeoutMs: number): Promise<void>;
  /** Identifies the release from the running process or the location itself, never from the task. */
  observe(seat: Placement): Promise<Identity>;
  /** Set for drivers without processes: their location serves without this host's help. */
  isStill?: true;
  /** Puts these in the target's place, or nothing where there are none. Routed drivers have no such place. */
  serve?(place: Serve): Promise<void>;
}>;

export const unpacked = (releases: Releases): Pick<Driver, 'releases' | 'fetch' | 'prepare'> => ({
  releases,
  fetch: releases.fetch,
  prepare: releases.prepare,
});
