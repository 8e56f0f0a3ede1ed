import { after, before, test } from 'node:test';
import { until } from '@landfall/kernel/testing/until';
import pg from 'pg';
import { type CatalogueApp, catalogueApp } from '../../testing/catalogue-app.ts';
import { type Sources, sourcesOf } from './sources.fixture.ts';
import type { ReleaseSource } from './sources.store.ts';

let app: CatalogueApp;
let sources: Sources;
before(async () => {
  app = await catalogueApp();
  sources = sourcesOf(app);
});
after(() => app[Symbol.asyncDispose]());

const works: Readonly<Record<string, (source: ReleaseSource) => Promise<unknown>>> = {
  'an update': ({ id }) => app.module.sources.update(sources.admin, { id, expectedVersion: 1, debounceSeconds: 5 }),
  'the removal': ({ id }) => app.module.sources.remove(sources.admin, { id, expectedVersion: 1 }),
  'a poll by hand': ({ id }) => app.module.sources.poll(sources.admin, { id }),
  'a poll': () => sources.poll(),
};

for (const [name, work] of Object.entries(works))
  test(`${name} of a source waits for a change of its product without holding the source`, async () => {
    const { id, path } = await sources.product();
    sources.push(path('web'), '1.0.0');
    const source = await sources.source(id);
    const client = new pg.Client(app.connection);
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from orchestrator.products where id = $1 for update', [id]);
      const working = work(source);
      await until(async () => {
        // A transaction sees the activity of its first look otherwise.
        await client.query('select pg_stat_clear_snapshot()');
        const { rows } = await client.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      await client.query('select 1 from orchestrator.release_sources where id = $1 for update nowait', [source.id]);
      await client.query('rollback');
      await working;
    } finally {
      await client.end();
    }
  });
