import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, json, oneOf, tenantId } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { TaskOrder } from '../rollout/ports.ts';

export type TaskId = Id<'AgentTask'>;

const anyDocument = json(Type.Record(Type.String(), Type.Unknown()));
const references = json(Type.Record(Type.String(), Type.String()));

/** State of a task, without its specification. */
const tasks = table(
  'orchestrator.agent_tasks',
  {
    id: id('AgentTask'),
    deploymentId: id('Deployment'),
    targetId: id('Target'),
    agentId: id('Agent'),
    action: oneOf('apply', 'withdraw'),
    state: oneOf('pending', 'leased', 'running', 'succeeded', 'failed', 'expired', 'superseded'),
    fence: integer,
    attempt: integer,
    lastSeq: integer,
  },
  {
    noun: 'task',
    writes: { spec: anyDocument, secretRefs: references, deadlineAt: instant },
  },
);

export const { find, findLocked } = tasks;

export type Task = RowOf<typeof tasks>;

export const isLeased = ({ state }: Pick<Task, 'state'>): boolean => state === 'leased' || state === 'running';

/** Checks the fence of a report; throws RES_VERSION_CONFLICT when the task has ended or was leased again. */
export const expectLease = (task: Task, fence: number): void => {
  if (task.fence === fence && isLeased(task)) return;
  throw new Fault('RES_VERSION_CONFLICT', 'This task is not yours any more: stop it and report nothing.', {
    state: task.state,
    expected: fence,
    actual: task.fence,
  });
};

const dueTasks = table('orchestrator.agent_tasks.due', {
  id: id('AgentTask'),
  deploymentId: id('Deployment'),
  targetId: id('Target'),
  fence: integer,
  /** Specification as written; its size is checked before it is sent (`task-message.ts`). */
  spec: anyDocument,
  secretRefs: references,
  deadlineAt: instant,
});

export type DueTask = RowOf<typeof dueTasks>;

export const insert = (tx: Tx, tenant: TenantId, { deploymentId, ...order }: TaskOrder) =>
  tasks.insert(tx, tenant, { ...order, deploymentId, action: order.spec.action });

/** SQL condition: a task is new, or its lease expired with attempts left, which a withdrawal always has. */
const isDue = (maxAttempts: number): Sql => sql`deadline_at > kernel.now() and (state = 'pending'
  or (state in ('leased', 'running') and lease_until <= kernel.now()
    and (attempt < ${maxAttempts} or action = 'withdraw')))`;

/** Finds the oldest task that waits for an agent, or the next one after another. Locks nothing. */
export const findDue = (query: Query, tenant: TenantId, agent: Id<'Agent'>, maxAttempts: number, after?: TaskId) =>
  query.find(
    dueTasks,
    sql`/* orchestrator.tasks.findDue */
    select ${dueTasks.columns} from orchestrator.agent_tasks
    where tenant = ${tenant} and agent_id = ${agent} and state in ('pending', 'leased', 'running')
      and (${after ?? null}::uuid is null or id > ${after ?? null}) and ${isDue(maxAttempts)}
    order by id limit 1`,
  );

const waiting = table('orchestrator.agent_tasks.waiting', { agentId: id('Agent') });

/** Lists agents whose waiting polls must be answered, in one query of all tenants. Role `landfall_system`. */
export const listSummoned = (query: Query, maxAttempts: number, polling: readonly string[]) =>
  query.list(
    waiting,
    sql`/* orchestrator.tasks.listSummoned */
    select agent_id from orchestrator.agent_tasks
    where state in ('pending', 'leased', 'running') and ${isDue(maxAttempts)}
    union
    select id from orchestrator.agents where id = any(${polling}::uuid[]) and (is_called or state = 'revoked')`,
  );

const heldTasks = table('orchestrator.agent_tasks.held', {
  id: id('AgentTask'),
  fence: integer,
  deadlineAt: instant,
});

/** Leases a task under the next fence, unless it was leased since it was found. */
export const lease = async (
  tx: Tx,
  tenant: TenantId,
  { id: task, fence }: Pick<DueTask, 'id' | 'fence'>,
  leaseSeconds: number,
  maxAttempts: number,
): Promise<boolean> => {
  const leased = await tx.run(sql`/* orchestrator.tasks.lease */
    update orchestrator.agent_tasks set
      state = 'leased', fence = fence + 1, attempt = attempt + 1, last_seq = 0,
      lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    where tenant = ${tenant} and id = (
      select id from orchestrator.agent_tasks
      where tenant = ${tenant} and id = ${task} and fence = ${fence} and ${isDue(maxAttempts)}
      for update skip locked
    )`);
  return leased > 0;
};

/** Renews the leases that an agent names, if they are still its own. */
export const renew = (
  tx: Tx,
  tenant: TenantId,
  agent: Id<'Agent'>,
  leases: readonly { readonly taskId: string; readonly fence: number }[],
  leaseSeconds: number,
) =>
  tx.list(
    heldTasks,
    sql`/* orchestrator.tasks.renew */
    update orchestrator.agent_tasks as t set lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    from unnest(${leases.map(({ taskId }) => taskId)}::uuid[], ${leases.map(({ fence }) => fence)}::integer[])
      as h (id, fence)
    where t.tenant = ${tenant} and t.agent_id = ${agent} and t.id = h.id and t.fence = h.fence
      and t.state in ('leased', 'running')
    returning t.id, t.fence, t.deadline_at`,
  );

/** Records the progress of a locked task. */
export const progress = (
  tx: Tx,
  tenant: TenantId,
  task: Pick<Task, 'id'>,
  state: Task['state'],
  seq: number,
  leaseSeconds: number,
) =>
  tx.run(sql`/* orchestrator.tasks.progress */
    update orchestrator.agent_tasks set
      state = ${state}, last_seq = ${seq}, lease_until = kernel.now() + make_interval(secs => ${leaseSeconds})
    where tenant = ${tenant} and id = ${task.id}`);

/** Ends every open task of a deployment. A fence of 0 means that no agent has leased it. */
export const supersede = (tx: Tx, tenant: TenantId, deployment: Id<'Deployment'>) =>
  tx.list(
    tasks,
    sql`/* orchestrator.tasks.supersede */
    update orchestrator.agent_tasks set state = 'superseded'
    where tenant = ${tenant} and deployment_id = ${deployment} and state in ('pending', 'leased', 'running')
    returning ${tasks.columns}`,
  );

export const extend = (tx: Tx, tenant: TenantId, deployment: Id<'Deployment'>, deadlineAt: Date) =>
  tx.run(sql`/* orchestrator.tasks.extend */
    update orchestrator.agent_tasks set deadline_at = ${deadlineAt}
    where tenant = ${tenant} and deployment_id = ${deployment} and state in ('pending', 'leased', 'running')`);

/** Ends an agent's open tasks on a target, which a new task replaces. Tasks of a former agent stay. */
export const supersedeAt = (
  tx: Tx,
  tenant: TenantId,
  { targetId: target, agentId: agent }: Pick<TaskOrder, 'targetId' | 'agentId'>,
) =>
  tx.run(sql`/* orchestrator.tasks.supersedeAt */
    update orchestrator.agent_tasks set state = 'superseded'
    where tenant = ${tenant} and target_id = ${target} and state in ('pending', 'leased', 'running')
      and agent_id = ${agent}`);

const lost = table('orchestrator.agent_tasks.lost', { tenant: tenantId, id: id('AgentTask') });

const isRemoved = (maxAttempts: number): Sql => sql`t.action <> 'withdraw' and
  ((t.state in ('leased', 'running') and t.lease_until <= kernel.now()
      and (t.attempt >= ${maxAttempts} or a.state = 'offline'))
    or (t.state = 'pending' and a.state = 'offline')
    or (t.state in ('pending', 'leased', 'running') and a.state = 'revoked'))`;

/**
 * Lists tasks that no agent will finish: their last lease expired, or their agent was revoked. Role `landfall_system`.
 */
export const listLost = (query: Query, maxAttempts: number) =>
  query.list(
    lost,
    sql`/* orchestrator.tasks.listLost */
    select t.tenant, t.id from orchestrator.agent_tasks as t
    join orchestrator.agents as a on a.tenant = t.tenant and a.id = t.agent_id
    where ${isRemoved(maxAttempts)}
    limit 100`,
  );

const losses = table('orchestrator.agent_tasks.loss', { isRevoked: boolean });

/** Returns why a locked task is lost, if it still is: its agent may have come back since. */
export const findLoss = (query: Query, tenant: TenantId, task: TaskId, maxAttempts: number) =>
  query.find(
    losses,
    sql`/* orchestrator.tasks.findLoss */
    select a.state = 'revoked' as is_revoked from orchestrator.agent_tasks as t
    join orchestrator.agents as a on a.tenant = t.tenant and a.id = t.agent_id
    where t.tenant = ${tenant} and t.id = ${task} and ${isRemoved(maxAttempts)}`,
  );

const open = table('orchestrator.agent_tasks.open', { id: id('AgentTask'), deploymentId: id('Deployment') });

/** Lists an agent's open tasks by deployment. */
export const listOpen = (query: Query, tenant: TenantId, agent: Id<'Agent'>) =>
  query.list(
    open,
    sql`/* orchestrator.tasks.listOpen */
    select ${open.columns} from orchestrator.agent_tasks
    where tenant = ${tenant} and agent_id = ${agent} and state in ('pending', 'leased', 'running')
    order by deployment_id, id`,
  );
