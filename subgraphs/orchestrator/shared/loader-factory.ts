import type { Caller } from '@landfall/kernel/core/caller';
import { refuseWhileConnected } from '@landfall/kernel/core/connection-guard';
import { type Id, isId, type TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';
import DataLoader from 'dataloader';

type Admission = Pick<OperationSpec, 'name' | 'scope' | 'callers'>;

/** Loads a value by an id that somebody sent: what is no id is nothing. */
interface Loader<Value> {
  load(id: string): Promise<Value>;
}

/** Loads rows by their id. */
interface RowLoader<Row> extends Loader<Row | undefined> {
  /** The row that a foreign key promises. Its absence is a bug. */
  get(id: string): Promise<Row>;
}

/**
 * A loader of one request. `batch` answers for all ids of a tick at once, after the caller was admitted as by the
 * operation that reads the same. Nothing is remembered between ticks, since a mutation may run in between.
 */
const loaderOf = <Name extends string, Value>(
  { database, caller }: { readonly database: Database; readonly caller: Caller },
  { name, admission }: { readonly name: Name; readonly admission: Admission },
  batch: (query: Query, tenant: TenantId, ids: readonly Id<Name>[]) => Promise<(id: string) => Value>,
): Loader<Value> => {
  const loader = new DataLoader<string, Value>(
    async (asked) => {
      const who = admit(caller, admission);
      const ids = [...new Set(asked)].filter((id): id is Id<Name> => isId(id, name));
      const answer = await database.read(who.tenant, (query) => batch(query, who.tenant, ids));
      return asked.map(answer);
    },
    { cache: false },
  );
  return {
    async load(id) {
      refuseWhileConnected(`the loader of ${admission.name}`);
      return loader.load(id);
    },
  };
};

type Scope = Parameters<typeof loaderOf>[0];

/** Loads the row with an id. */
export const byId = <Name extends string, Row extends { readonly id: Id<Name> }>(
  scope: Scope,
  name: Name,
  admission: Admission,
  list: (query: Query, tenant: TenantId, ids: readonly Id<Name>[]) => Promise<readonly Row[]>,
): RowLoader<Row> => {
  const { load } = loaderOf(scope, { name, admission }, async (query, tenant, ids) => {
    const rows = new Map<string, Row>((await list(query, tenant, ids)).map((row) => [row.id, row]));
    return (id) => rows.get(id);
  });
  return {
    load,
    async get(id) {
      const row = await load(id);
      if (!row) throw new TypeError(`${name} ${id} is referred to and not there`);
      return row;
    },
  };
};

/** Loads the rows that belong to an id, in the order of the statement. */
export const byOwner = <Name extends string, Row>(
  scope: Scope,
  name: Name,
  admission: Admission,
  list: (query: Query, tenant: TenantId, owners: readonly Id<Name>[]) => Promise<readonly Row[]>,
  ownerOf: (row: Row) => Id<Name>,
): Loader<readonly Row[]> =>
  loaderOf(scope, { name, admission }, async (query, tenant, ids) => {
    const rows = Map.groupBy<string, Row>(await list(query, tenant, ids), ownerOf);
    return (id) => rows.get(id) ?? [];
  });

/** Loads what an id has one of, made for each one that is asked for. Its absence is a bug. */
export const ofOwner = <Name extends string, Row>(
  scope: Scope,
  name: Name,
  admission: Admission,
  list: (query: Query, tenant: TenantId, owners: readonly Id<Name>[]) => Promise<readonly Row[]>,
  ownerOf: (row: Row) => Id<Name>,
): Loader<Row> => {
  const { load } = byOwner(scope, name, admission, list, ownerOf);
  return {
    async load(id) {
      const [row] = await load(id);
      if (row === undefined) throw new TypeError(`${name} ${id} has nothing of its own`);
      return row;
    },
  };
};

/** Loads what a tenant has one of, once a tick however often it is asked for. */
export const single = <Value>(
  { database, caller }: Scope,
  admission: Admission,
  read: (query: Query, tenant: TenantId) => Promise<Value>,
): { load(): Promise<Value> } => {
  const loader = new DataLoader<true, Value>(
    async (asked) => {
      const who = admit(caller, admission);
      const value = await database.read(who.tenant, (query) => read(query, who.tenant));
      return asked.map(() => value);
    },
    { cache: false },
  );
  return {
    async load() {
      refuseWhileConnected(`the loader of ${admission.name}`);
      return loader.load(true);
    },
  };
};
