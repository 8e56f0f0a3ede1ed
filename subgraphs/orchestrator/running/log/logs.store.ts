import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, count, id, instant, integer, tenantId, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

/** Limit of stored lines of one deployment on one target; `MAX_BYTES` limits their text as well. */
export const MAX_LINES = 5_000;
export const MAX_BYTES = 1_048_576;

/** Shortest interval between two notices of one log's growth, in seconds. */
const NOTICE_SECONDS = 1;

export interface LogKey {
  readonly deploymentId: Id<'Deployment'>;
  readonly targetId: Id<'Target'>;
}

/** Message of an agent: its task, fence and number. */
export interface LogMessage extends LogKey {
  readonly taskId: Id<'AgentTask'>;
  readonly fence: number;
  readonly seq: number;
}

const lines = table('orchestrator.deployment_logs', {
  /** Number of the line among all lines ever written, from 1. */
  line: count,
  component: text,
  text,
  at: instant,
});

export type LogLine = RowOf<typeof lines>;

/** Line to store, with its offset in bytes among all lines ever written. */
export interface NewLine extends Omit<LogLine, 'line'> {
  readonly beginBytes: number;
}

/** Counters of all lines ever written to a log, and whether the newest lines still await a notice. */
const heads = table('orchestrator.deployment_log_heads', { lines: count, bytes: count, hasUntold: boolean });

export type LogHead = RowOf<typeof heads>;

/** Advances the counters of a log by a message; returns nothing if the message was counted before. */
export const advance = (
  tx: Tx,
  tenant: TenantId,
  message: LogMessage,
  added: { readonly lines: number; readonly bytes: number },
) =>
  tx.find(
    heads,
    sql`/* orchestrator.logs.advance */
    insert into orchestrator.deployment_log_heads as h
      (tenant, deployment_id, target_id, lines, bytes, task_id, fence, seq)
    values (${tenant}, ${message.deploymentId}, ${message.targetId}, ${added.lines}, ${added.bytes}, ${message.taskId},
      ${message.fence}, ${message.seq})
    on conflict (tenant, deployment_id, target_id) do update set
      lines = h.lines + excluded.lines, bytes = h.bytes + excluded.bytes,
      task_id = excluded.task_id, fence = excluded.fence, seq = excluded.seq, written_at = kernel.now(),
      has_untold = h.told_at > kernel.now() - make_interval(secs => ${NOTICE_SECONDS}),
      told_at = case when h.told_at > kernel.now() - make_interval(secs => ${NOTICE_SECONDS}) then h.told_at
        else kernel.now() end
    where h.task_id <> excluded.task_id or (h.fence, h.seq) < (excluded.fence, excluded.seq)
    returning ${heads.of('h')}`,
  );

/** Inserts the lines after the first `before`; the counters include them already. */
export const insert = (
  tx: Tx,
  tenant: TenantId,
  { deploymentId, targetId }: LogKey,
  before: number,
  added: readonly NewLine[],
) =>
  tx.run(sql`/* orchestrator.logs.insert */
    insert into orchestrator.deployment_logs
      (tenant, deployment_id, target_id, line, begin_bytes, component, text, at)
    select ${tenant}, ${deploymentId}, ${targetId}, ${before}::bigint + l.nth, l.begin_bytes, l.component, l.text,
      least(l.at, kernel.now())
    from unnest(${added.map(({ beginBytes }) => beginBytes)}::bigint[], ${added.map(({ component }) => component)}::text[],
      ${added.map((line) => line.text)}::text[], ${added.map(({ at }) => at)}::timestamptz[])
      with ordinality as l (begin_bytes, component, text, at, nth)`);

/** Deletes the oldest lines past the limits. */
export const trim = (
  tx: Tx,
  tenant: TenantId,
  { deploymentId, targetId }: LogKey,
  head: Pick<LogHead, 'lines' | 'bytes'>,
) =>
  tx.run(sql`/* orchestrator.logs.trim */
    delete from orchestrator.deployment_logs
    where tenant = ${tenant} and deployment_id = ${deploymentId} and target_id = ${targetId}
      and (line <= ${head.lines - MAX_LINES}::bigint or begin_bytes < ${head.bytes - MAX_BYTES}::bigint)`);

/** Lists the stored lines after a line number, oldest first. */
export const list = (
  query: Query,
  tenant: TenantId,
  { deploymentId, targetId }: LogKey,
  after: number,
  limit: number,
) =>
  query.list(
    lines,
    sql`/* orchestrator.logs.list */
    select ${lines.columns} from orchestrator.deployment_logs
    where tenant = ${tenant} and deployment_id = ${deploymentId} and target_id = ${targetId} and line > ${after}
    order by line limit ${limit}`,
  );

const unpublished = table('orchestrator.deployment_log_heads.unpublished', {
  tenant: tenantId,
  deploymentId: id('Deployment'),
  targetId: id('Target'),
});

/** Lists logs that grew since the last notice and await one. Role `landfall_system`. */
export const listUnpublished = (query: Query) =>
  query.list(
    unpublished,
    sql`/* orchestrator.logs.listUnpublished */
    select ${unpublished.columns} from orchestrator.deployment_log_heads
    where has_untold and told_at <= kernel.now() - make_interval(secs => ${NOTICE_SECONDS})
    order by told_at limit 100`,
  );

/** Claims the notice of a log; false if another process has claimed it. */
export const takeUnpublished = async (tx: Tx, tenant: TenantId, { deploymentId, targetId }: LogKey) => {
  const result = await tx.run(sql`/* orchestrator.logs.takeUnpublished */
    update orchestrator.deployment_log_heads set has_untold = false, told_at = kernel.now()
    where tenant = ${tenant} and deployment_id = ${deploymentId} and target_id = ${targetId} and has_untold`);
  return result > 0;
};

/** Deletes logs with their lines when nothing was written for so many days. Role `landfall_system`. */
export const prune = (query: Query, days: number) =>
  query.run(sql`/* orchestrator.logs.prune */
    delete from orchestrator.deployment_log_heads where written_at <= kernel.now() - make_interval(days => ${days})`);

const jobs = table('orchestrator.deployments.version', { version: integer });

export const findVersion = (query: Query, tenant: TenantId, deployment: Id<'Deployment'>) =>
  query.find(
    jobs,
    sql`/* orchestrator.logs.findVersion */
    select version from orchestrator.deployments where tenant = ${tenant} and id = ${deployment}`,
  );
