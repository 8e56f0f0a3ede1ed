import { until } from '@landfall/kernel/testing/until';
import pg from 'pg';

/** Task with the fence of one lease. */
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
 * Controls leases in a test's database, whose clock stands still, so that no lease expires by itself. Expires only the
 * leases of dead processes: moving the clock would expire all, and make every live agent look silent.
 */
export const leasesIn = (connection: pg.ClientConfig) => {
  const ask = async <R extends pg.QueryResultRow>(statement: string, values: unknown[] = []): Promise<R[]> => {
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client.query<R>(statement, values).finally(() => client.end());
    return rows;
  };

  return {
    /** Waits until PostgreSQL has rolled back or committed the transactions of a dead server. */
    async atRest(): Promise<void> {
      await until(async () => (await ask(STORY.waiting)).length === 0);
    },

    expireJobs: () =>
      ask('update orchestrator.deployments set lease_until = kernel.now() where lease_until > kernel.now()'),

    /** Lists the leases of open tasks. */
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

    /** Passes the deadline of a deployment. */
    passDeadline: (deploymentId: string) =>
      ask('update orchestrator.deployments set deadline_at = kernel.now() where id = $1', [deploymentId]),

    /** Passes the interval until the next analysis of a deployment. */
    passInterval: (deploymentId: string) =>
      ask(
        'update orchestrator.deployments set next_check_at = kernel.now() where id = $1 and next_check_at is not null',
        [deploymentId],
      ),

    open: async () =>
      (await ask("select id from orchestrator.agent_tasks where state in ('pending', 'leased', 'running')")).length,

    /** Describes the newest deployments with targets, tasks and agents, for the message of a failed test. */
    async story(): Promise<string> {
      const rows = Object.entries(STORY).map(
        async ([name, statement]) => `${name}: ${JSON.stringify(await ask(statement))}`,
      );
      return (await Promise.all(rows)).join('\n');
    },
  };
};
