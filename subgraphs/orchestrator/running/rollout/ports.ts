import type { StepReport, Task } from '@landfall/agent/protocol/messages';
import type { Who } from '@landfall/kernel/core/caller';
import type { Id } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { AnalysisPolicy } from '../../catalogue/environments/analysis-policy.ts';
import type { Reason } from '../deployments/anatomy.ts';
import type { Deployment } from '../deployments/deployment.ts';

/** Work for one agent at one target. The queue adds lease, fence and sealing. */
export interface TaskOrder {
  readonly id: Id<'AgentTask'>;
  readonly deploymentId: Id<'Deployment'>;
  readonly targetId: Id<'Target'>;
  readonly agentId: Id<'Agent'>;
  readonly deadlineAt: Date;
  readonly spec: Omit<Task, 'taskId' | 'fence' | 'targetId' | 'secrets' | 'deadline'>;
  /** Secret reference by environment variable; its value is sealed to the agent when the task is leased. */
  readonly secretRefs: Readonly<Record<string, string>>;
}

/** Queue of agents' tasks, as deployments use it. */
export interface TaskQueue {
  enqueue(tx: Tx, caller: Who, order: TaskOrder): Promise<void>;
  /** Ends every open task of a deployment; returns the targets whose task an agent had leased and may have started. */
  supersede(tx: Tx, caller: Who, deploymentId: Id<'Deployment'>): Promise<readonly Id<'Target'>[]>;
  /** Changes the deadline of every open task of a deployment. */
  extend(tx: Tx, caller: Who, deploymentId: Id<'Deployment'>, deadlineAt: Date): Promise<void>;
}

/** Task as the queue reports it. */
export interface TaskRef {
  readonly taskId: Id<'AgentTask'>;
  readonly deploymentId: Id<'Deployment'>;
  readonly targetId: Id<'Target'>;
  readonly action: Task['action'];
}

/** Reason why no agent will end a task. */
export type Loss = 'agent-heartbeat-lost' | 'agent-unassigned';

/** Listener through which the task queue reports to deployments. */
export interface TaskListener {
  /** Locks promotion and deployment, in this order, before the queue locks the task: the common lock order. */
  lock(tx: Tx, caller: Who, deploymentId: Id<'Deployment'>): Promise<void>;
  /** Handles a step that an agent reported under a valid fence. */
  onStep(tx: Tx, caller: Who, task: TaskRef, report: StepReport): Promise<void>;
  /** Handles a task that was leased again after its lease expired. */
  onLeasedAgain(tx: Tx, caller: Who, task: TaskRef, attempt: number): Promise<void>;
  /** Handles a task that could not be sent: one of its secrets is unavailable, or it is too large for an agent. */
  onUnsent(tx: Tx, caller: Who, task: TaskRef, reason: Reason, detail: string): Promise<void>;
  /** Handles a lost task: its lease expired for the last time, or its agent was revoked. */
  onLost(tx: Tx, caller: Who, task: TaskRef, reason: Loss, detail: string): Promise<void>;
}

/** Statements of landings. */
export interface LandingStatements {
  /** Records that the deployment completed with every target verified, in the same transaction. */
  landed(tx: Tx, caller: Who, deployment: Deployment): Promise<void>;
}

/** Measurement at an analysis gate. No data gives unknown, which never passes. */
export interface Measured {
  readonly value: number | null;
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** Explanation, for the timeline of a gate or a halt. */
  readonly detail: string;
}

export interface Analyst {
  /** Measures once. Uses the network, so outside of every transaction. */
  measure(caller: Who, deployment: Deployment, policy: AnalysisPolicy): Promise<Measured>;
  /** Stores a measurement at the gate after a phase of a locked deployment and returns the decision about the gate. */
  record(
    tx: Tx,
    caller: Who,
    deployment: Deployment,
    phaseIndex: number,
    measured: Measured,
  ): Promise<'open' | 'halt' | 'wait'>;
}
