import type { StepReport, Task } from '@landfall/agent/protocol/messages';
import type { Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { AnalysisPolicy } from '../../catalogue/environments/analysis-policy.ts';
import type { Reason } from '../deployments/anatomy.ts';
import type { Deployment } from '../deployments/deployment.ts';

/** A piece of work for one agent at one target. The lease, the fence and the sealing are the queue's own. */
export interface TaskOrder {
  readonly id: Id<'AgentTask'>;
  readonly deploymentId: Id<'Deployment'>;
  readonly targetId: Id<'Target'>;
  readonly agentId: Id<'Agent'>;
  readonly deadlineAt: Date;
  readonly spec: Omit<Task, 'taskId' | 'fence' | 'targetId' | 'secrets' | 'deadline'>;
  /** Environment variable to the reference that fills it, built-in or a vault's; its value is sealed to the agent at the lease. */
  readonly secretRefs: Readonly<Record<string, string>>;
}

/** The agents' queue, as deployments use it. */
export interface TaskQueue {
  enqueue(tx: Tx, who: Who, order: TaskOrder): Promise<void>;
  /**
   * Ends every open task of a deployment: its agents are told at their next beat, and later reports are refused.
   * @returns the targets of those that an agent had taken, and may have begun
   */
  supersede(tx: Tx, who: Who, deploymentId: Id<'Deployment'>): Promise<readonly Id<'Target'>[]>;
  /** Gives every open task of a deployment another deadline. */
  extend(tx: Tx, who: Who, deploymentId: Id<'Deployment'>, deadlineAt: Date): Promise<void>;
}

/** A task as its queue tells of it. */
export interface TaskRef {
  readonly taskId: Id<'AgentTask'>;
  readonly deploymentId: Id<'Deployment'>;
  readonly targetId: Id<'Target'>;
  readonly action: Task['action'];
}

/** Why nobody will end a task. */
export type Loss = 'agent-heartbeat-lost' | 'agent-unassigned';

/** Deployments, as the agents' queue tells them. */
export interface TaskListener {
  /** Locks promotion and deployment, in this order, before the queue locks the task: one order for everybody. */
  lock(tx: Tx, who: Who, deploymentId: Id<'Deployment'>): Promise<void>;
  /** A step was reported under a valid fence. */
  onStep(tx: Tx, who: Who, task: TaskRef, report: StepReport): Promise<void>;
  /** Its lease ran out, and it has been given out once more. */
  onAgain(tx: Tx, who: Who, task: TaskRef, attempt: number): Promise<void>;
  /** Reports a task that could not be sent: a secret of it cannot be had, or no agent could read it. */
  onUnsent(tx: Tx, who: Who, task: TaskRef, reason: Reason, detail: string): Promise<void>;
  /** Reports a lost task: its lease ran out for the last time, or its agent was revoked. */
  onLost(tx: Tx, who: Who, task: TaskRef, reason: Loss, detail: string): Promise<void>;
}

/** Statements of landings. */
export interface LandingStatements {
  /** The deployment has completed with every target verified; written in the transaction of its end. */
  landed(tx: Tx, who: Who, deployment: Deployment): Promise<void>;
}

/** Measurement at a traffic gate. No data is unknown, and an unknown never passes. */
export interface Measured {
  readonly value: number | null;
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** In words, for whoever reads why the gate opened or the deployment was halted. */
  readonly detail: string;
}

export interface Analyst {
  /** Asks once. Over the network, so outside every transaction. */
  measure(who: Who, deployment: Deployment, policy: AnalysisPolicy): Promise<Measured>;
  /** Keeps what was measured at the gate after a phase of a locked deployment, and says what that makes of the gate. */
  record(
    tx: Tx,
    who: Who,
    deployment: Deployment,
    phaseIndex: number,
    measured: Measured,
  ): Promise<'open' | 'halt' | 'wait'>;
}
