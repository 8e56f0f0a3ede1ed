import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { boolean, count, id, instant, integer, type RowOf, table, text } from '@landfall/kernel/db/table';

export type ViewId = Id<'SavedView'>;

const views = table('authority.saved_views', {
  id: id('SavedView'),
  owner: text,
  name: text,
  path: text,
  shared: boolean,
  createdAt: instant,
  version: integer,
});

/** A name for an address in the console. */
export type View = RowOf<typeof views>;

export type NewView = Pick<View, 'id' | 'owner' | 'name' | 'path' | 'shared'>;

const counted = table('authority.saved_views count', { views: count });

/** What somebody sees: their own and what is shared, by name. */
export const list = (query: Query, tenant: TenantId, owner: string): Promise<View[]> =>
  query.list(
    views,
    sql`/* authority.saved_views.list */
    select ${views.columns} from authority.saved_views
    where tenant = ${tenant} and (owner = ${owner} or shared)
    order by lower(name), id`,
  );

/** How many somebody has beside the one of this name. */
export const countOthers = async (query: Query, tenant: TenantId, { owner, name }: NewView): Promise<number> =>
  (
    await query.get(
      counted,
      sql`/* authority.saved_views.countOthers */
      select count(*) as views from authority.saved_views
      where tenant = ${tenant} and owner = ${owner} and name <> ${name}`,
    )
  ).views;

/** Writes a view, or puts it in the place of the owner's view of that name, which keeps its id. */
export const save = (tx: Tx, tenant: TenantId, view: NewView): Promise<View> =>
  tx.get(
    views,
    sql`/* authority.saved_views.save */
    insert into authority.saved_views as v (tenant, id, owner, name, path, shared)
    values (${tenant}, ${view.id}, ${view.owner}, ${view.name}, ${view.path}, ${view.shared})
    on conflict (tenant, owner, name) do update
      set path = excluded.path, shared = excluded.shared, version = v.version + 1
    returning ${views.of('v')}`,
  );

export const find = (query: Query, tenant: TenantId, viewId: ViewId) =>
  query.find(
    views,
    sql`/* authority.saved_views.find */
    select ${views.columns} from authority.saved_views where tenant = ${tenant} and id = ${viewId}`,
  );

export const remove = (tx: Tx, tenant: TenantId, viewId: ViewId): Promise<number> =>
  tx.run(sql`/* authority.saved_views.remove */
    delete from authority.saved_views where tenant = ${tenant} and id = ${viewId}`);
