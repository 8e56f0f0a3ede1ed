import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, count, id, instant, integer, type RowOf, table, tenantId, text } from '@landfall/kernel/db/table';

/** Newest lines that are kept of one deployment on one target; `MAX_BYTES` bounds their text as well. */
export const MAX_LINES = 5_000;
export const MAX_BYTES = 1_048_576;

/** Followers are told of a log that grows once in so many seconds. */
const TELL_SECONDS = 1;

export interface LogKey {
  readonly deploymentId: Id<'Deployment'>;
  readonly targetId: Id<'Target'>;
}

/** The message that an agent sent: by which task, under which fence, and its number. */
export interface LogMessage extends LogKey {
  readonly taskId: Id<'AgentTask'>;
  readonly fence: number;
  readonly seq: number;
}

const lines = table('orchestrator.deployment_logs', {
  /** Its number among all there ever were, from 1. */
  line: count,
  component: text,
  text,
  at: instant,
});

export type LogLine = RowOf<typeof lines>;

/** A line that is to be kept, and where it begins among the bytes of all there ever were. */
export interface NewLine extends Omit<LogLine, 'line'> {
  readonly beginBytes: number;
}

/** Counts of all lines there ever were, and whether followers are told of the newest by somebody else, later. */
const heads = table('orchestrator.deployment_log_heads', { lines: count, bytes: count, hasUntold: boolean });

export type LogHead = RowOf<typeof heads>;

/** Moves a log's head on by what a message adds; nothing where the message was counted before. */
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
      has_untold = h.told_at > kernel.now() - make_interval(secs => ${TELL_SECONDS}),
      told_at = case when h.told_at > kernel.now() - make_interval(secs => ${TELL_SECONDS}) then h.told_at
        else kernel.now() end
    where h.task_id <> excluded.task_id or (h.fence, h.seq) < (excluded.fence, excluded.seq)
    returning ${heads.of('h')}`,
  );

/** Writes the lines after the first `before`; the head counts them already. */
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

/** Lets the oldest lines go. */
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

/** The kept lines after a line, oldest first. */
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

const untold = table('orchestrator.deployment_log_heads.untold', {
  tenant: tenantId,
  deploymentId: id('Deployment'),
  targetId: id('Target'),
});

/** Logs that have grown since followers were told, and that nobody told of since. Role `landfall_system`. */
export const listUnpublished = (query: Query) =>
  query.list(
    untold,
    sql`/* orchestrator.logs.listUnpublished */
    select ${untold.columns} from orchestrator.deployment_log_heads
    where has_untold and told_at <= kernel.now() - make_interval(secs => ${TELL_SECONDS})
    order by told_at limit 100`,
  );

/** Takes it on to tell of a log; false where somebody else has. */
export const takeUnpublished = async (tx: Tx, tenant: TenantId, { deploymentId, targetId }: LogKey) => {
  const taken = await tx.run(sql`/* orchestrator.logs.takeUnpublished */
    update orchestrator.deployment_log_heads set has_untold = false, told_at = kernel.now()
    where tenant = ${tenant} and deployment_id = ${deploymentId} and target_id = ${targetId} and has_untold`);
  return taken > 0;
};

/** Forgets logs that nobody has written to for so many days, their lines with them. Role `landfall_system`. */
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
