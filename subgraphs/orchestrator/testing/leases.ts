import { until } from '@landfall/kernel/testing/until';
import pg from 'pg';

/** A task under the fence of one lease of it. */
export interface TaskLease {
  readonly taskId: string;
  readonly fence: number;
}

const STORY = {
  now: 'select kernel.now()',
  jobs: 'select id, state, lease_until, deadline_at, version from orchestrator.deployments order by id desc limit 2',
  targets: `select target_id, state, anatomy from orchestrator.deployment_targets where deployment_id =
    (select id from orchestrator.deployments order by id desc limit 1)`,
  tasks: `select id, deployment_id, state, fence, attempt, last_seq, lease_until from orchestrator.agent_tasks
    order by id desc limit 6`,
  agents: 'select id, name, state, last_heartbeat_at from orchestrator.agents',
  waiting: `select state, wait_event, query from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
} as const;

/**
 * The leases in a test's database, whose clock stands still, so that none runs out by itself. A test lets those run out
 * that nobody is left to renew: moving the clock would do it to all of them, and make every agent that lives look silent.
 */
export const leasesIn = (connection: pg.ClientConfig) => {
  const ask = async <R extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<R[]> => {
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client.query<R>(statement, values).finally(() => client.end());
    return rows;
  };

  return {
    /** Waits for what a dead server began: PostgreSQL undoes it, or ends a commit that was on its way. */
    async atRest(): Promise<void> {
      await until(async () => (await ask(STORY.waiting)).length === 0);
    },

    expireJobs: () =>
      ask('update orchestrator.deployments set lease_until = kernel.now() where lease_until > kernel.now()'),

    /** Leases of tasks that have not ended. */
    tasks: () =>
      ask<TaskLease>(`select id as "taskId", fence from orchestrator.agent_tasks
        where state in ('leased', 'running') and lease_until > kernel.now()`),

    expireTasks: (leases: readonly TaskLease[]) =>
      ask(
        `update orchestrator.agent_tasks as task set lease_until = kernel.now()
        from unnest($1::uuid[], $2::integer[]) as lease (id, fence)
        where task.id = lease.id and task.fence = lease.fence and task.state in ('leased', 'running')`,
        [leases.map(({ taskId }) => taskId), leases.map(({ fence }) => fence)],
      ),

    /** Lets a deployment's time be over. */
    passDeadline: (deploymentId: string) =>
      ask('update orchestrator.deployments set deadline_at = kernel.now() where id = $1', [deploymentId]),

    /** Lets the time until the next question of a deployment's analysis pass. */
    passInterval: (deploymentId: string) =>
      ask(
        'update orchestrator.deployments set next_check_at = kernel.now() where id = $1 and next_check_at is not null',
        [deploymentId],
      ),

    open: async () =>
      (await ask("select id from orchestrator.agent_tasks where state in ('pending', 'leased', 'running')")).length,

    /** The newest deployments with their targets, tasks and agents, for the message of a test that fails. */
    async story(): Promise<string> {
      const told = Object.entries(STORY).map(
        async ([name, statement]) => `${name}: ${JSON.stringify(await ask(statement))}`,
      );
      return (await Promise.all(told)).join('\n');
    },
  };
};
