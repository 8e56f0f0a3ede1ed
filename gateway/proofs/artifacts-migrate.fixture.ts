import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { artifactApp, billOf, operator, viewer } from '@landfall/artifacts/testing/artifact-app';
import { createTenants } from '@landfall/authority';
import { sha256 } from '@landfall/kernel/crypto/digest';
import { landfall } from '../cli/commands/cli-process.fixture.ts';

/** A store of the tenant acme, a legacy tree, and the command. */
export const migrationScenario = async () => {
  const app = await artifactApp();
  const root = join(app.dataDir, 'legacy');
  const tenants = createTenants(app.deps, 'operator');
  await tenants.set({ tenant: operator.tenant, name: 'Acme' });
  const [{ id = '' } = {}] = await tenants.list();
  const { host, database } = app.connection;
  const env = {
    INIT_CWD: app.dataDir,
    LANDFALL_DATA_DIR: app.dataDir,
    DATABASE_URL: `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(host)}`,
    ARTIFACTS__MAXBYTES: '100000',
  };
  const args = (...more: string[]) => ['artifacts', 'migrate', 'legacy', '--tenant', id, ...more];
  return {
    ...app,
    env,
    id,
    args,
    async add(path: string, content: unknown) {
      const file = join(root, path);
      await mkdir(join(file, '..'), { recursive: true });
      await writeFile(file, Buffer.isBuffer(content) ? content : JSON.stringify(content));
      return file;
    },
    /** Paths of the tree, sorted. */
    tree: async () =>
      (await readdir(root, { recursive: true, withFileTypes: true }))
        .flatMap((entry) => (entry.isDirectory() ? [] : [relative(root, join(entry.parentPath, entry.name))]))
        .sort(),
    records: async () =>
      (await app.module.artifacts.search(viewer, { first: 100 })).items
        .map(({ bomRef, serialNumber, sha256: hash }) => [bomRef, serialNumber, hash].join(' '))
        .sort(),
    report: async () => JSON.parse(await readFile(join(app.dataDir, 'migration-report.json'), 'utf8')),
    migrate: (...more: string[]) => landfall(args(...more), { env }),
  };
};

export const fill = async ({ add }: Awaited<ReturnType<typeof migrationScenario>>) => {
  await add('evidence/shop/bom.json', billOf());
  await add('evidence/shop.json', billOf(sha256('other')));
  await add('attestor/a b/ü.dsse', { payload: 'e30=', payloadType: 'x', signatures: [{ sig: 'AA==' }] });
  await add('vex/one.json', { '@context': 'https://openvex.dev/ns/v0.2.0', '@id': 'https://a.test/1', statements: [] });
};
