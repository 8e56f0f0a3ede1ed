import pg from 'pg';
import type { DeployingApp } from '../../../testing/deploying-app.ts';

/** Row that a step changed, with the entity that it belongs to. */
export interface Change {
  readonly n: string;
  readonly tenant: string;
  readonly place: string;
  readonly ref: string;
  readonly state: string | null;
  readonly product: string | null;
  readonly version: number | null;
}

/** Tables that belong to products, with the column of the entity they are about and that of its state. */
const TABLES = {
  products: ['id', 'name'],
  path_steps: ['product_id', 'need'],
  releases: ['id', 'status'],
  release_components: ['release_id', 'name'],
  promotions: ['id', 'state'],
  promotion_approvals: ['promotion_id', 'decision'],
  deployments: ['id', 'state'],
  deployment_phases: ['deployment_id', 'status'],
  deployment_targets: ['deployment_id', 'state'],
  agent_tasks: ['deployment_id', 'state'],
  targets: ['id', 'state'],
  approved_components: ['target_id', 'component'],
  observations: ['target_id', 'component'],
} as const;

export const ENTITIES: readonly string[] = Object.entries(TABLES).flatMap(([name, [ref]]) =>
  ref === 'id' ? name : [],
);

const watchStatements = [
  `create table public.row_changes (
     n bigserial primary key, tenant text, place text, ref uuid, state text, product uuid, version integer)`,
  `create function public.record_row_change() returns trigger language plpgsql security definer as $$
   declare changed jsonb;
   begin
     if tg_op = 'DELETE' then changed := to_jsonb(old); else changed := to_jsonb(new); end if;
     insert into public.row_changes (tenant, place, ref, state, product, version) values (changed ->> 'tenant',
       tg_table_name, (changed ->> tg_argv[0])::uuid, changed ->> tg_argv[1], (changed ->> 'product_id')::uuid,
       (changed ->> 'version')::integer);
     return null;
   end $$`,
  ...Object.entries(TABLES).map(
    ([name, [ref, state]]) => `create trigger row_change after insert or update or delete on orchestrator.${name}
      for each row execute function public.record_row_change('${ref}', '${state}')`,
  ),
];

/** Records every change of a row that belongs to a product, by triggers in the database. */
export const watchRows = async (app: DeployingApp) => {
  const client = new pg.Client(app.connection);
  await client.connect();
  for (const statement of watchStatements) await client.query(statement);
  let last = '0';
  return {
    query: async <R extends pg.QueryResultRow>(name: string, text: string, values: readonly unknown[]): Promise<R[]> =>
      (await client.query<R>({ name, text, values: [...values] })).rows,
    /** Lists the changes since it was asked last. */
    async changes(): Promise<Change[]> {
      const { rows } = await client.query<Change>({
        name: 'changes',
        text: 'select * from public.row_changes where n > $1 order by n',
        values: [last],
      });
      last = rows.at(-1)?.n ?? last;
      return rows;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
};

export type Watch = Awaited<ReturnType<typeof watchRows>>;
