import {
  type Assignment,
  type ObservationRequest,
  report as reportMessage,
  type StepReport,
  type Task,
} from '@landfall/agent/protocol/messages';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, isId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import * as agents from '../../catalogue/agents/agent.ts';
import { LEASE_SECONDS, MAX_ATTEMPTS } from '../../catalogue/agents/liveness.ts';
import type { Registries } from '../../catalogue/integrations/registries.ts';
import type { ResolvedReferences, SecretSource } from '../../catalogue/secrets/secret-source.ts';
import { parseReference } from '../../shared/secret-reference.ts';
import type { Loss, TaskListener, TaskQueue, TaskRef } from '../rollout/ports.ts';
import { composeTask } from './task-message.ts';
import { createTaskSecrets, type Refusal } from './task-secrets.ts';
import * as store from './tasks.store.ts';

export const { listLost: listLostTasks, renew: renewLeases } = store;

interface TasksDeps extends Pick<Deps, 'operation' | 'database' | 'clock'> {
  readonly registries: Pick<Registries, 'credentials'>;
  readonly secrets: SecretSource;
  readonly listener: TaskListener;
}

/** Task queue as deployments use it. */
export const taskQueue: TaskQueue = {
  enqueue: async (tx, caller, order) => {
    await store.supersedeAt(tx, caller.tenant, order);
    await store.insert(tx, caller.tenant, order);
  },
  supersede: async (tx, caller, deploymentId) => {
    const completed = await store.supersede(tx, caller.tenant, deploymentId);
    return completed.filter(({ fence }) => fence > 0).map(({ targetId }) => targetId);
  },
  extend: async (tx, caller, deploymentId, deadlineAt) => {
    await store.extend(tx, caller.tenant, deploymentId, deadlineAt);
  },
};

const refOf = ({
  id,
  deploymentId,
  targetId,
  action,
}: Pick<store.Task, 'id' | 'deploymentId' | 'targetId' | 'action'>): TaskRef => ({
  taskId: id,
  deploymentId,
  targetId,
  action,
});

const hasEnded = (task: store.Task): boolean => task.state !== 'pending' && !store.isLeased(task);

const silence = ({ attempt }: store.Task): string =>
  `the agent reported nothing for ${LEASE_SECONDS} s (lease ${attempt} of ${MAX_ATTEMPTS})`;

const END: Readonly<Partial<Record<StepReport['step'], store.Task['state']>>> = { done: 'succeeded', failed: 'failed' };

/** Answers of vaults for the secrets of one task. */
interface Fetched {
  readonly taskId: store.TaskId | undefined;
  readonly values: ResolvedReferences;
}

/** Checks whether another task became the oldest after the vaults were asked, and needs vaults itself. */
const isUnfetched = ({ id, secretRefs }: store.DueTask, { taskId }: Fetched): boolean =>
  id !== taskId && Object.values(secretRefs).some((reference) => parseReference(reference)?.kind === 'vault');

export const createTasks = ({ operation, database, secrets, registries, clock, listener }: TasksDeps) => {
  const sealFor = createTaskSecrets({ secrets, registries });

  /** Locks a task after its promotion and deployment; undefined if it belongs to another agent. */
  const lockOwn = async (tx: Tx, caller: Who, taskId: Id<'AgentTask'>): Promise<store.Task | undefined> => {
    const known = await store.find(tx, caller.tenant, taskId);
    if (!known || known.agentId !== caller.subject) return undefined;
    await listener.lock(tx, caller, known.deploymentId);
    return store.findLocked(tx, caller.tenant, taskId);
  };

  /** Fails a task that cannot be sent. It is not locked yet, so that promotion and deployment are locked first. */
  const failUnsent = async (tx: Tx, caller: Who, due: store.DueTask, refused: Refusal): Promise<void> => {
    await listener.lock(tx, caller, due.deploymentId);
    const task = await store.findLocked(tx, caller.tenant, due.id);
    if (!task || task.fence !== due.fence || hasEnded(task)) return;
    await store.progress(tx, caller.tenant, task, 'failed', task.lastSeq, LEASE_SECONDS);
    await listener.onUnsent(tx, caller, refOf(task), refused.reason, refused.detail);
  };

  /** Leases a task unless it was leased since it was found, and reports a repeated lease to the deployment. */
  const hand = async (tx: Tx, caller: Who, due: store.DueTask, { action, fence }: Task): Promise<boolean> => {
    const isAgain = due.fence > 0;
    if (isAgain) await listener.lock(tx, caller, due.deploymentId);
    if (!(await store.lease(tx, caller.tenant, due, LEASE_SECONDS, MAX_ATTEMPTS))) return false;
    if (isAgain) await listener.onLeasedAgain(tx, caller, refOf({ ...due, action }), fence);
    return true;
  };

  /** Ends a locked task that no agent will report. */
  const end = async (tx: Tx, caller: Who, task: store.Task, reason: Loss, detail: string): Promise<void> => {
    await store.progress(tx, caller.tenant, task, 'expired', task.lastSeq, 0);
    await listener.onLost(tx, caller, refOf(task), reason, detail);
  };

  return {
    /** Leases the next task of the calling agent, or returns a request for a heartbeat, or null. */
    lease: operation({
      name: 'agentTask.lease',
      cost: 0,
      kind: 'write',
      isBeat: true,
      scope: [],
      callers: ['agent'],
      input: Type.Object({}),
      raises: ['AUTH_AGENT_CERT_INVALID'],
      /** Asks vaults for the oldest task's secrets, before the transaction that leases it. */
      async prepare(caller): Promise<Fetched> {
        const agentId = toId(caller.subject, 'Agent');
        const due = await database.read(caller.tenant, (query) =>
          store.findDue(query, caller.tenant, agentId, MAX_ATTEMPTS),
        );
        return { taskId: due?.id, values: await secrets.fromVaults(caller, Object.values(due?.secretRefs ?? {})) };
      },
      async run(caller, _input, tx, fetched): Promise<Assignment | ObservationRequest | null> {
        const agentId = toId(caller.subject, 'Agent');
        const next = (after?: store.TaskId) => store.findDue(tx, caller.tenant, agentId, MAX_ATTEMPTS, after);
        for (let due = await next(); due; due = await next(due.id)) {
          const agent = await agents.lockActive(tx, caller.tenant, agentId, caller.certificateSerial);
          if (!agent) throw agents.inactiveCertificateFault();
          // The next check notifies of it within a second.
          if (isUnfetched(due, fetched)) return null;
          const composed = await composeTask(due, ({ components }) =>
            sealFor(tx, caller, { ...due, components }, agent.publicKey, fetched.values),
          );
          if ('refused' in composed) {
            await failUnsent(tx, caller, due, composed.refused);
            return null;
          }
          const { task } = composed;
          if (!(await hand(tx, caller, due, task))) continue;
          await failpoint('agent.task.leased');
          return { now: clock.now().toISOString(), leaseMs: LEASE_SECONDS * 1_000, task };
        }
        const status = await agents.findStatus(tx, caller.tenant, agentId, caller.certificateSerial);
        if (!status) throw agents.inactiveCertificateFault();
        return status.isCalled && (await agents.takeHeartbeatRequest(tx, caller.tenant, agentId))
          ? { look: true }
          : null;
      },
    }),

    /** Applies one step report. A repeated number is accepted without effect; an old fence is refused. */
    report: operation({
      name: 'agentTask.report',
      kind: 'write',
      isBeat: true,
      scope: [],
      callers: ['agent'],
      input: reportMessage,
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
      example: {
        taskId: exampleId('AgentTask'),
        fence: 1,
        seq: 1,
        report: { step: 'pulled', bytes: 0 },
      },
      async run(caller, { taskId, fence, seq, report }, tx): Promise<{ accepted: true }> {
        const task = isId(taskId, 'AgentTask') ? await lockOwn(tx, caller, taskId) : undefined;
        if (!task) throw new Fault('RES_NOT_FOUND', `There is no task ${taskId}.`, { id: taskId });
        if (task.fence === fence && seq <= task.lastSeq) return { accepted: true };
        store.expectLease(task, fence);
        await store.progress(tx, caller.tenant, task, END[report.step] ?? 'running', seq, LEASE_SECONDS);
        await listener.onStep(tx, caller, refOf(task), report);
        return { accepted: true };
      },
    }),

    /** Ends a task that no agent will finish, unless its agent came back since. */
    async expire(tx: Tx, caller: Who, taskId: Id<'AgentTask'>): Promise<void> {
      const known = await store.find(tx, caller.tenant, taskId);
      if (!known) return;
      await listener.lock(tx, caller, known.deploymentId);
      const task = await store.findLocked(tx, caller.tenant, taskId);
      const loss = task && (await store.findLoss(tx, caller.tenant, taskId, MAX_ATTEMPTS));
      if (!loss) return;
      if (loss.isRevoked) await end(tx, caller, task, 'agent-unassigned', 'its agent was revoked');
      else await end(tx, caller, task, 'agent-heartbeat-lost', silence(task));
    },

    /** Ends every task of an agent that is being revoked and whose row this transaction has locked. */
    async abandon(tx: Tx, caller: Who, agentId: Id<'Agent'>, detail: string): Promise<void> {
      for (const { id, deploymentId } of await store.listOpen(tx, caller.tenant, agentId)) {
        await listener.lock(tx, caller, deploymentId);
        const task = await store.findLocked(tx, caller.tenant, id);
        if (task && !hasEnded(task)) await end(tx, caller, task, 'agent-unassigned', detail);
      }
    },
  };
};

export type Tasks = ReturnType<typeof createTasks>;
