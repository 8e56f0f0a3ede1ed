import pg from 'pg';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Database } from '../db/database.ts';
import { type Query, queryOn, sendOn, type Tx } from '../db/query.ts';

const node = Type.Cyclic(
  {
    Node: Type.Object({
      'Node Type': Type.String(),
      'Relation Name': Type.Optional(Type.String()),
      'Index Name': Type.Optional(Type.String()),
      'Shared Hit Blocks': Type.Number(),
      'Shared Read Blocks': Type.Number(),
      Plans: Type.Optional(Type.Array(Type.Ref('Node'))),
    }),
  },
  'Node',
);

type PlanNode = Static<typeof node>;

const explained = Compile(Type.Object({ 'Query Text': Type.String(), Plan: node }));

/** Plan by which PostgreSQL executed a statement. */
export interface StatementPlan {
  /** The statement's name, from its comment. */
  readonly name: string;
  /** Kinds of scan of this plan, each with the table or index it reads: `Index Scan chunks_pkey`. */
  readonly scans: readonly string[];
  /** Pages that were touched, in memory or not. */
  readonly buffers: number;
}

const scansOf = (plan: PlanNode): string[] => {
  const target = plan['Index Name'] ?? plan['Relation Name'];
  const own = target !== undefined && plan['Node Type'].includes('Scan') ? [`${plan['Node Type']} ${target}`] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)];
};

/** Plan of one message of `auto_explain`; undefined for statements without a name, such as `begin`. */
export const readPlan = (message: string): StatementPlan | undefined => {
  const at = message.indexOf('plan:\n');
  if (at < 0) return undefined;
  const { 'Query Text': text, Plan: plan } = explained.Parse(JSON.parse(message.slice(at + 'plan:\n'.length)));
  const name = /\/\* ([\w.-]+) \*\//.exec(text)?.[1];
  if (name === undefined) return undefined;
  const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return { name, scans: [...new Set(scansOf(plan))].toSorted(), buffers };
};

/** Settings of `auto_explain` under which it reports each statement as JSON, with what it did. */
export const EXPLAIN_SETTINGS: Readonly<Record<string, string>> = {
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
};

/** Whether statements are planned for their values, or once for all; unset, PostgreSQL decides after five times. */
export type PlanMode = 'force_custom_plan' | 'force_generic_plan';

/**
 * Creates the product's database over one connection, which records the plan of each statement that is sent: with the
 * role, the tenant, the parameters and the prepared statement of the product.
 */
export const planRecorder = async (connection: pg.ClientConfig, mode: PlanMode) => {
  const client = new pg.Client(connection);
  const plans: StatementPlan[] = [];
  client.on('notice', ({ message = '' }) => {
    const plan = readPlan(message);
    if (plan) plans.push(plan);
  });
  await client.connect();
  await client.query("load 'auto_explain'");
  const settings = { ...EXPLAIN_SETTINGS, 'auto_explain.log_level': 'notice', plan_cache_mode: mode };
  for (const [name, value] of Object.entries(settings)) await client.query(`set ${name} = '${value}'`);

  let last: Promise<unknown> = Promise.resolve();
  const record = <T>(role: string, tenant: string, use: () => Promise<T>): Promise<T> => {
    const turn = last.then(async () => {
      await client.query(`set role ${role}`);
      await client.query("select set_config('landfall.tenant', $1, false)", [tenant]);
      return use();
    });
    last = turn.catch(() => undefined);
    return turn;
  };
  const query: Query = queryOn(sendOn(client));
  const tx: Tx = { ...query, transaction: true };
  const write = async <T>(use: (tx: Tx) => Promise<T>): Promise<T> => {
    await client.query('begin');
    try {
      const value = await use(tx);
      await client.query('commit');
      return value;
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  };
  const close = () => client.end();
  const database: Database = {
    read: (tenant, use) => record('landfall_app', tenant, () => use(query)),
    write: (tenant, use) => record('landfall_app', tenant, () => write(use)),
    system: {
      read: (use) => record('landfall_system', '', () => use(query)),
      write: (use) => record('landfall_system', '', () => write(use)),
    },
    close,
  };
  return { database, plans, [Symbol.asyncDispose]: close };
};
