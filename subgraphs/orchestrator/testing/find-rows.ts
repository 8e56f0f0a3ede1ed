import { text } from '@landfall/kernel/db/columns';
import { type Sql, sql, trusted } from '@landfall/kernel/db/sql';
import { type Shape, table } from '@landfall/kernel/db/table';

const names = table('information_schema.names', { name: text });
const rows = table('any.row', { whole: text });

/** Finds every row of the product's tables that contains one of these values. */
export const findRowsWith = async (
  app: { readonly rows: <R>(shape: Shape<R>, statement: Sql) => Promise<R[]> },
  values: readonly string[],
): Promise<string[]> => {
  const tables = await app.rows(
    names,
    sql`select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema in ('orchestrator', 'kernel') and table_type = 'BASE TABLE'`,
  );
  if (tables.length < 20) throw new TypeError(`only ${tables.length} tables were looked at`);
  const found: string[] = [];
  for (const { name } of tables)
    for (const { whole: complete } of await app.rows(rows, sql`select t::text as whole from ${trusted(name)} t`))
      if (values.some((value) => complete.includes(value))) found.push(`${name}: ${complete}`);
  return found;
};
