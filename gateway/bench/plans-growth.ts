import type pg from 'pg';

/** Tables of frequent statements that grow with use, and the number of rows to reach. */
const TABLE_SIZES: Readonly<Record<string, number>> = {
  'kernel.events': 200_000,
  'kernel.revoked_tokens': 100_000,
  'kernel.sessions': 50_000,
  'kernel.idempotency': 100_000,
  'authority.clients': 5_000,
  'authority.client_secrets': 5_000,
  'authority.users': 20_000,
  'authority.access_tokens': 100_000,
  'authority.token_families': 100_000,
  'authority.refresh_tokens': 100_000,
  'registry.tokens': 50_000,
  'orchestrator.releases': 50_000,
  'orchestrator.release_components': 100_000,
  'orchestrator.promotions': 50_000,
  'orchestrator.deployments': 50_000,
  'orchestrator.deployment_targets': 100_000,
  'orchestrator.deployment_steps': 100_000,
  'orchestrator.deployment_logs': 100_000,
  'orchestrator.agent_tasks': 100_000,
  'orchestrator.attestations': 100_000,
  'orchestrator.targets': 5_000,
  'orchestrator.agents': 1_000,
  'orchestrator.observations': 20_000,
  'orchestrator.approved_components': 20_000,
  'search.history': 20_000,
  'search.chunks': 100_000,
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isUnique: boolean;
}

/** Columns to write, and whether a unique index needs another value in each row. */
const COLUMNS = `
select a.attname as name, format_type(a.atttypid, null) as type, exists (
    select from pg_index i where i.indrelid = a.attrelid and i.indisunique and a.attnum = any(i.indkey)) as "isUnique"
from pg_attribute a
where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''`;

const copied = ({ name, type, isUnique }: Column): string => {
  const column = `t."${name}"`;
  if (!isUnique || name === 'tenant') return column;
  if (type === 'uuid') return 'gen_random_uuid()';
  if (type === 'text' || type === 'character varying') return `${column} || '-' || n`;
  if (type === 'bytea') return `decode(md5(n::text || ${column}::text), 'hex')`;
  return column;
};

/**
 * Copies the demo's rows until a table has `rows` rows.
 * @returns the reason when it could not
 */
const grow = async (client: pg.Client, table: string, rows: number): Promise<string | undefined> => {
  const { rows: columns } = await client.query<Column>(COLUMNS, [table]);
  const { rows: counted } = await client.query<{ rows: number }>(`select count(*)::integer as rows from ${table}`);
  const existing = counted[0]?.rows ?? 0;
  if (existing === 0) return 'the demo writes none';
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map(copied).join(', ');
  try {
    await client.query(`insert into ${table} (${names}) select ${values} from ${table} t,
      generate_series(1, ${Math.ceil(rows / existing)}) as n limit ${rows} on conflict do nothing`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** Fills the growing tables with copies of the demo's rows, without triggers and foreign keys. */
export const growTables = async (client: pg.Client): Promise<readonly string[]> => {
  await client.query("set session_replication_role = 'replica'");
  const remaining: string[] = [];
  for (const [table, rows] of Object.entries(TABLE_SIZES)) {
    const { rows: found } = await client.query<{ oid: string | null }>('select to_regclass($1)::text as oid', [table]);
    if (found[0]?.oid === null) {
      remaining.push(`${table}: there is no such table`);
      continue;
    }
    const reason = await grow(client, table, rows);
    if (reason !== undefined) remaining.push(`${table}: ${reason}`);
  }
  await client.query("set session_replication_role = 'origin'");
  return remaining;
};
