import pg from 'pg';

/** A column of a statement's result. */
interface Field {
  readonly name: string;
  /** As `pg_type` has it: `int4`, `_text`. */
  readonly type: string;
  /** Nullability of a table's own column; undefined for an expression. */
  readonly isNullable: boolean | undefined;
}

const ROLES = ['landfall_app', 'landfall_system'] as const;

type Role = (typeof ROLES)[number];

/** Asks the server to parse and describe, by the extended protocol: nothing is bound, nothing runs. */
const fieldsOf = (client: pg.Client, text: string): Promise<readonly pg.FieldDef[]> =>
  new Promise((resolve, reject) => {
    let fields: readonly pg.FieldDef[] = [];
    client.query({
      submit(connection: pg.Connection) {
        connection.parse({ name: '', text, types: [] }, false);
        connection.describe({ type: 'S', name: '' }, false);
        connection.sync();
      },
      handleRowDescription(message: { readonly fields: readonly pg.FieldDef[] }) {
        fields = message.fields;
      },
      handleReadyForQuery: () => resolve(fields),
      handleError: reject,
    });
  });

const connected = async (connection: pg.ClientConfig, role?: Role): Promise<pg.Client> => {
  const client = new pg.Client({ ...connection, ...(role && { options: `-c role=${role}` }) });
  await client.connect();
  return client;
};

interface Catalogue {
  readonly types: ReadonlyMap<number, string>;
  /** Columns that are never null, as `table.column` by number. */
  readonly notNull: ReadonlySet<string>;
  /** Tables under row-level security, and the roles that have a policy. */
  readonly policies: ReadonlyMap<string, readonly string[]>;
}

const readCatalogue = async (client: pg.Client): Promise<Catalogue> => {
  const types = await client.query<{ oid: number; typname: string }>('select oid::int, typname from pg_type');
  const columns = await client.query<{ at: string }>(
    `select attrelid::int || '.' || attnum as at from pg_attribute where attnotnull and attnum > 0`,
  );
  const tables = await client.query<{ name: string; roles: string[] }>(
    `select c.relnamespace::regnamespace || '.' || c.relname as name,
       coalesce(array_agg(r.rolname::text) filter (where r.rolname is not null), '{}') as roles
     from pg_class c left join pg_policy p on p.polrelid = c.oid left join pg_roles r on r.oid = any(p.polroles)
     where c.relrowsecurity group by 1`,
  );
  return {
    types: new Map(types.rows.map(({ oid, typname }) => [oid, typname])),
    notNull: new Set(columns.rows.map(({ at }) => at)),
    policies: new Map(tables.rows.map(({ name, roles }) => [name, roles])),
  };
};

interface PlanNode {
  readonly Schema?: string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

const tablesIn = (plan: PlanNode): string[] => [
  ...(plan.Schema && plan['Relation Name'] ? [`${plan.Schema}.${plan['Relation Name']}`] : []),
  ...(plan.Plans ?? []).flatMap(tablesIn),
];

/**
 * Why `role` could not run a statement. Planning it for no values in particular starts the executor, which is where
 * privileges are asked for, and runs nothing. A table without a policy for the role would silently be empty.
 */
const refusalOf = async (
  client: pg.Client,
  role: Role,
  text: string,
  { policies }: Catalogue,
): Promise<string | undefined> => {
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
      `explain (generic_plan, verbose, format json) ${text}`,
    );
    const tables = rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => tablesIn(Plan)));
    const closed = tables.find((name) => policies.get(name)?.includes(role) === false);
    return closed && `${role} has no policy on ${closed}`;
  } catch (error) {
    return `${role}: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/** Database session that describes the parameters and results of statements. */
export interface Session extends AsyncDisposable {
  /** Names of all columns of the product's tables, in camel case. */
  readonly columns: readonly string[];
  /** The result's columns. Throws what PostgreSQL has against the statement. */
  describe(text: string): Promise<readonly Field[]>;
  /** Why neither role of the product could run it; nothing when one can. */
  refusals(text: string): Promise<readonly string[]>;
}

export const describeOn = async (connection: pg.ClientConfig): Promise<Session> => {
  const owner = await connected(connection);
  const catalogue = await readCatalogue(owner);
  const clients = await Promise.all(ROLES.map(async (role) => ({ role, client: await connected(connection, role) })));

  const fieldOf = ({ name, dataTypeID, tableID, columnID }: pg.FieldDef): Field => ({
    name,
    type: catalogue.types.get(dataTypeID) ?? String(dataTypeID),
    isNullable: tableID === 0 ? undefined : !catalogue.notNull.has(`${tableID}.${columnID}`),
  });

  const { rows } = await owner.query<{ name: string }>(
    `select distinct column_name as name from information_schema.columns
     where table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );

  return {
    columns: rows.map(({ name }) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())),
    describe: async (text) => (await fieldsOf(owner, text)).map(fieldOf),
    refusals: async (text) => {
      const refused = [];
      for (const { role, client } of clients) refused.push(await refusalOf(client, role, text, catalogue));
      const refusals = refused.filter((refusal) => refusal !== undefined);
      return refusals.length === ROLES.length ? refusals : [];
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([owner, ...clients.map(({ client }) => client)].map((client) => client.end()));
    },
  };
};
