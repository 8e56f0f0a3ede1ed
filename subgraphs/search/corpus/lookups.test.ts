import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDeps } from '@landfall/kernel/testing/app';
import pg from 'pg';

/** Inserts rows of a tenant in one statement, so that no statistics cover them yet. */
const fill = (client: pg.Client, tenant: string, rows: number) =>
  client.query(
    `insert into search.chunks (tenant, domain, source, document_key, entity_type, entity_key, title, body, content_hash)
     select $1, 'findings', 'osv', 'GHSA-' || md5(i::text), 'vulnerability', 'vulnerability:' || i, 't', 'b', 'x'
     from generate_series(1, $2::integer) i`,
    [tenant, rows],
  );

/** Plan of the lookup of a batch's stored documents. */
const planOf = async (client: pg.Client, tenant: string): Promise<string> => {
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain
    select c.chunk_id from unnest(array['osv'], array['GHSA-1']) as t (source, document_key) cross join lateral (
      select * from search.chunks
      where tenant = '${tenant}' and source = t.source and document_key = t.document_key offset 0) c`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
};

test('documents are looked up by their keys, also where the tables were last counted before the tenant had any', async () => {
  await using base = await testDeps();
  const client = new pg.Client(base.connection);
  await client.connect();
  try {
    await fill(client, '*', 1_000);
    await client.query('analyze search.chunks');
    await fill(client, 'acme', 10_000);
    for (const tenant of ['acme', '*', 'globex'])
      assert.match(await planOf(client, tenant), /chunks_tenant_source_document_key_part_key[\s\S]*document_key = t/);
  } finally {
    await client.end();
  }
});
