import type { Caller } from '@landfall/kernel/core/caller';
import { refuseWhileConnected } from '@landfall/kernel/core/connection-use';
import { type Id, isId, type TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { admit, type OperationSpec } from '@landfall/kernel/operation/operation';
import DataLoader from 'dataloader';

/** Statement that reads the rows of several ids at once. */
type ListBy<Name extends string, Row> = (
  query: Query,
  tenant: TenantId,
  ids: readonly Id<Name>[],
) => Promise<readonly Row[]>;

/** A product in an environment. */
interface Pair {
  readonly productId: Id<'Product'>;
  readonly environmentId: Id<'Environment'>;
}

/** Creates one request's loaders, which admit the caller by a read's specification and cache nothing between ticks. */
export const loaderFactory = (database: Database, caller: Caller, { spec }: { readonly spec: OperationSpec }) => {
  const loaderOf = <Key, Value>(
    batch: (query: Query, tenant: TenantId, keys: readonly Key[]) => Promise<(key: Key) => Value>,
  ) => {
    const loader = new DataLoader<Key, Value>(
      async (keys) => {
        const { tenant } = admit(caller, spec);
        return keys.map(await database.read(tenant, (query) => batch(query, tenant, keys)));
      },
      { cache: false },
    );
    return async (key: Key): Promise<Value> => {
      refuseWhileConnected(`the loader of ${spec.name}`);
      return loader.load(key);
    };
  };

  /** Builds a loader by ids that callers sent; a malformed id loads nothing. */
  const idLoaderOf = <Name extends string, Row, Value>(
    name: Name,
    list: ListBy<Name, Row>,
    index: (rows: readonly Row[]) => (id: string) => Value,
  ) =>
    loaderOf<string, Value>(async (query, tenant, keys) =>
      index(
        await list(
          query,
          tenant,
          [...new Set(keys)].filter((id): id is Id<Name> => isId(id, name)),
        ),
      ),
    );

  const rowsOfOwner = <Name extends string, Key extends string, Row extends Readonly<Record<Key, Id<Name>>>>(
    name: Name,
    list: ListBy<Name, Row>,
    owner: Key,
  ) =>
    idLoaderOf(name, list, (rows): ((id: string) => readonly Row[]) => {
      const byOwner = Map.groupBy<string, Row>(rows, (row) => row[owner]);
      return (id) => byOwner.get(id) ?? [];
    });

  return {
    /** Loads the row with an id; `get` if a foreign key guarantees the row. */
    byId<Name extends string, Row extends { readonly id: Id<Name> }>(name: Name, list: ListBy<Name, Row>) {
      const load = idLoaderOf(name, list, (rows) => {
        const byId = new Map<string, Row>(rows.map((row) => [row.id, row]));
        return (id) => byId.get(id);
      });
      return {
        load,
        async get(id: string): Promise<Row> {
          const row = await load(id);
          if (!row) throw new TypeError(`${name} ${id} is referred to and not there`);
          return row;
        },
      };
    },

    /** Loads the rows whose column `owner` holds an id, in the order of the statement. */
    byOwner: <Name extends string, Key extends string, Row extends Readonly<Record<Key, Id<Name>>>>(
      name: Name,
      list: ListBy<Name, Row>,
      owner: Key,
    ) => ({ load: rowsOfOwner(name, list, owner) }),

    /** Loads the rows of two owners, such as a product and an environment, in the order of the statement. */
    byPair<Row extends Pair>(
      list: (query: Query, tenant: TenantId, pairs: readonly Pair[]) => Promise<readonly Row[]>,
    ) {
      const keyOf = ({ productId, environmentId }: Pair): string => `${productId}/${environmentId}`;
      const load = loaderOf<Pair, readonly Row[]>(async (query, tenant, keys) => {
        const distinct = [...new Map(keys.map((pair) => [keyOf(pair), pair])).values()];
        const rows = Map.groupBy(await list(query, tenant, distinct), keyOf);
        return (pair) => rows.get(keyOf(pair)) ?? [];
      });
      return { load: (pair: Pair) => load({ productId: pair.productId, environmentId: pair.environmentId }) };
    },

    /** Loads the one row that `list` returns for each id. */
    ofOwner<Name extends string, Key extends string, Row extends Readonly<Record<Key, Id<Name>>>>(
      name: Name,
      list: ListBy<Name, Row>,
      owner: Key,
    ) {
      const load = rowsOfOwner(name, list, owner);
      return {
        async load(id: string): Promise<Row> {
          const [row] = await load(id);
          if (row === undefined) throw new TypeError(`${name} ${id} has nothing of its own`);
          return row;
        },
      };
    },

    /** Loads the value that `list` finds for each key, in the order of the keys. */
    batch<Key extends object, Value>(
      list: (query: Query, tenant: TenantId, keys: readonly Key[]) => Promise<readonly Value[]>,
    ) {
      const load = loaderOf<Key, Value>(async (query, tenant, keys) => {
        const values = await list(query, tenant, keys);
        const byKey = new Map(values.map((value, index) => [keys[index], value]));
        return (key) => {
          const value = byKey.get(key);
          if (value === undefined) throw new TypeError('a key has no value');
          return value;
        };
      });
      return { load };
    },

    /** Loads a value of which a tenant has one, once a tick however often it is asked for. */
    single<Value>(read: (query: Query, tenant: TenantId) => Promise<Value>) {
      const load = loaderOf<true, Value>(async (query, tenant) => {
        const value = await read(query, tenant);
        return () => value;
      });
      return { load: () => load(true) };
    },
  };
};
