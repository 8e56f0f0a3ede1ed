import type { TenantId } from '@landfall/kernel/core/ids';
import { bytes, instant, integer, json, oneOf, text } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import Type from 'typebox';
import type { Problem } from '../advisories/document-fields.ts';
import type { VexStatement } from '../advisories/vex-statement.ts';

export const FORMATS = ['openvex', 'csaf', 'cyclonedx'] as const;

/** Statement without the document that it is in. */
export type StoredStatement = Omit<VexStatement, 'documentDigest'>;

/** Problems of a document: only the reader writes them. */
export const problemList = json(
  Type.Unsafe<readonly Problem[]>(Type.Array(Type.Object({ path: Type.String(), reason: Type.String() }))),
);
/** Only the reader writes statements, so their outer form is enough of a check. */
const statementColumn = json(
  Type.Unsafe<StoredStatement>(Type.Object({ index: Type.Integer(), products: Type.Array(Type.Object({})) })),
);

const contents = table('scanner.vex_contents', {
  digest: text,
  format: oneOf(...FORMATS),
  issuedAt: instant.nullable(),
  statementCount: integer,
  problemCount: integer,
  problems: problemList,
  size: integer,
  bytes,
});

export const { insertIfAbsent } = contents;

const documents = table('scanner.vex_contents.bytes', { bytes });

/** Gzipped bytes of a document. */
export const findBytes = (query: Query, tenant: TenantId, digest: string) =>
  documents.findWhere(query, 'findBytes', sql`tenant = ${tenant} and digest = ${digest}`);

/** Rows of one statement. */
const BATCH = 1_000;
/** Characters of the longest name of a vulnerability that is found; an entry of an index has an upper bound. */
export const LONGEST_ID = 200;

/** Inserts the statements of a document, and the names of their vulnerabilities. */
export const insertStatements = async (
  tx: Tx,
  tenant: TenantId,
  digest: string,
  statements: readonly StoredStatement[],
): Promise<void> => {
  for (let at = 0; at < statements.length; at += BATCH) {
    const rows = statements.slice(at, at + BATCH);
    await tx.run(sql`/* scanner.vex_statements.insertAll */
      insert into scanner.vex_statements (tenant, digest, n, index, statement)
      select ${tenant}, ${digest}, ${at}::integer + place - 1, (statement->>'index')::integer, statement
      from unnest(${rows.map(jsonb)}::jsonb[]) with ordinality as given (statement, place)`);
    await tx.run(sql`/* scanner.vex_statement_ids.insertAll */
      insert into scanner.vex_statement_ids (tenant, vulnerability_id, digest, n)
      select distinct ${tenant}, id, ${digest}, ${at}::integer + place - 1
      from unnest(${rows.map(({ vulnerabilityIds: all }) => jsonb(all.filter((id) => id.length <= LONGEST_ID)))}::jsonb[])
        with ordinality as given (ids, place), jsonb_array_elements_text(ids) as id`);
  }
};

const stated = table('scanner.vex_statements stated', { digest: text, n: integer, statement: statementColumn });

/** Statements of documents about some vulnerabilities, each once. */
export const listAbout = (
  query: Query,
  tenant: TenantId,
  vulnerabilityIds: readonly string[],
  digests: readonly string[],
) =>
  query.list(
    stated,
    // Materialised, so that the digests are looked up in a hash table and not once more for each statement.
    sql`/* scanner.vex_statements.listAbout */
    with named as materialized (
      select distinct digest, n from scanner.vex_statement_ids
      where tenant = ${tenant} and vulnerability_id = any(${vulnerabilityIds}::text[]))
    select s.digest, s.n, s.statement from named i
    join scanner.vex_statements s on s.tenant = ${tenant} and s.digest = i.digest and s.n = i.n
    where i.digest = any(${digests}::text[])
    order by s.digest, s.n`,
  );

/** Statements of a document in its order, after a position. */
export const listOfDocument = (
  query: Query,
  tenant: TenantId,
  digest: string,
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
) =>
  query.list(
    stated,
    sql`/* scanner.vex_statements.listOfDocument */
    select digest, n, statement from scanner.vex_statements
    where tenant = ${tenant} and digest = ${digest} and n > ${after ?? -1}::integer
    order by n limit ${limit}`,
  );
