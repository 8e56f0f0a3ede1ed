import type { Distribution } from '../oci/distribution.ts';
import type { Identity, Releases, Resolved } from '../oci/releases.ts';
import type { Component, Task } from '../protocol/messages.ts';
import type { RunningComponent } from '../state/target-record.ts';
import type { ProcessRef } from './process-reference.ts';

export type Start = Readonly<{
  task: Task;
  component: Component;
  digest: RunningComponent['platformDigest'];
  env: Readonly<Record<string, string>>;
  port: number;
  run: string;
  /** Target's directory, and the log file of this start in it. */
  directory: string;
  logFile: string;
}>;

/** Component on this host, and whether it is the one in service. */
export type Placement = Readonly<{ task: Task; running: RunningComponent; directory: string; isServing: boolean }>;

/** Release to serve at a target's only location. */
export type Serve = Readonly<{
  task: Task;
  placements: readonly Placement[];
  directory: string;
  /** Task's environment with opened secrets; read only by drivers that need it. */
  environment(): Promise<Readonly<Record<string, string>>>;
}>;

/** Way to run releases: a routed driver runs two side by side behind the router, any other has one location. */
export type Driver = Readonly<{
  name: string;
  version: string;
  isRouted: boolean;
  releases: Releases;
  /** Fetches what a release needs to this host; returns the number of bytes received over the network. */
  fetch(distribution: Distribution, resolved: Resolved, signal: AbortSignal): Promise<number>;
  prepare(resolved: Resolved, signal: AbortSignal): Promise<unknown>;
  /**
   * Starts a process; or prepares the release and returns null if the driver has no processes. Raises AGT_TASK_FAILED.
   */
  start(start: Start): Promise<ProcessRef | null>;
  /** Checks whether a placement runs; null if that is unknown at present. */
  isAlive(seat: Placement): Promise<boolean | null>;
  /** Stops a process, or removes a prepared release. */
  stop(seat: Placement, timeoutMs: number): Promise<void>;
  /** Identifies the release from the running process or the location itself, never from the task. */
  observe(seat: Placement): Promise<Identity>;
  /** Set for drivers without processes, whose location works without this agent. */
  isStill?: true;
  /** Puts these placements in the target's location, or empties it. Routed drivers have no such location. */
  serve?(place: Serve): Promise<void>;
}>;

export const unpacked = (releases: Releases): Pick<Driver, 'releases' | 'fetch' | 'prepare'> => ({
  releases,
  fetch: releases.fetch,
  prepare: releases.prepare,
});
