import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { airgapApp, operator } from '@landfall/airgap/testing/airgap-app';
import { type GivenKit, temporary, testKey, testKit, testRoot, trustRoot } from '@landfall/airgap/testing/kits';
import { text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { feedImporter } from '@landfall/scanner';
import pg from 'pg';

/** Holders of the keys of the root. */
export const holders = [testKey(), testKey()] as const;
const advisories = table('scanner.advisories', { id: text });

/** Advisory in the format of OSV. */
export const osv = (id: string, changes: object = {}) =>
  JSON.stringify({
    id,
    modified: '2026-11-01T00:00:00Z',
    affected: [{ package: { ecosystem: 'npm', name: 'gate' }, versions: ['1.0.0'] }],
    ...changes,
  });

/** A site with a root, and a medium from which kits come. */
export const kitSite = async (others: Parameters<typeof airgapApp>[0] = () => ({})) => {
  const app = await airgapApp((deps) => ({ feeds: feedImporter, ...others(deps) }));
  const medium = await temporary();
  const now = app.clock.now();
  const later = (days: number) => `${new Date(now.getTime() + days * 86_400_000).toISOString().slice(0, 19)}Z`;
  const root = await testRoot(holders, { expiresAt: later(300) });
  await trustRoot(app.deps, root);
  let media = 0;
  return {
    ...app,
    inbox: join(app.dataDir, 'kits/inbox/acme'),
    /** Copies a kit into the inbox and returns its folder. */
    async deliver(files: GivenKit['files'], input: Partial<GivenKit> = {}) {
      media += 1;
      const directory = join(medium.path, String(media));
      const times = { createdAt: later(-1), expiresAt: later(10) };
      const kit = await testKit(directory, { signers: holders, ...times, files, ...input });
      const folder = `kit-${media}`;
      await mkdir(join(app.dataDir, 'kits/inbox/acme'), { recursive: true });
      await rename(join(directory, 'kit'), join(app.dataDir, 'kits/inbox/acme', folder));
      return { folder, kit };
    },
    /** Imports a folder of the inbox and returns how it ended. */
    async importFolder(folder: string, input: object = {}) {
      const { id } = await app.module.kitImports.request(operator, { folder, ...input });
      await app.module.importKits();
      return app.module.kitImports.get(operator, { id });
    },
    advisoryIds: async () =>
      (await app.rows(advisories, sql`select id from scanner.advisories order by id`)).map(({ id }) => id),
    /** Changes rows behind the product's back. */
    async tamper(statement: string, values: readonly unknown[] = []) {
      const client = new pg.Client(app.connection);
      await client.connect();
      const { rowCount } = await client.query(statement, [...values]).finally(() => client.end());
      return rowCount;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await medium[Symbol.asyncDispose]();
    },
  };
};
