import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const columns = {
  id: id('SavedView'),
  owner: text,
  name: text,
  path: text,
  shared: boolean,
  createdAt: instant,
  version: integer,
};

const views = table('authority.saved_views', columns, { noun: 'saved view' });

export const { find, remove } = views;

/** Named address of the console. */
export type View = RowOf<typeof views>;

export type NewView = Pick<View, 'id' | 'owner' | 'name' | 'path' | 'shared'>;

/** Views of an owner and shared ones, by name. */
export const list = (query: Query, tenant: TenantId, owner: string): Promise<View[]> =>
  views.listWhere(
    query,
    'list',
    sql`tenant = ${tenant} and (owner = ${owner} or shared)
    order by lower(name), id`,
  );

export const countOthers = (query: Query, tenant: TenantId, { owner, name }: NewView): Promise<number> =>
  views.countWhere(query, 'countOthers', sql`tenant = ${tenant} and owner = ${owner} and name <> ${name}`);

/** Inserts a view or updates the owner's view of that name, which keeps its id. */
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
