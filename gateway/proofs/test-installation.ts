import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testDeps } from '@landfall/kernel/testing/app';
import { MODULES } from '@landfall/rest-compat/modules';
import { createModules } from '../modules/modules.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { seed } from './seed.ts';

/** Creates every module over one database, in which acme has one entity of each kind. */
export const createTestInstallation = async () => {
  await using stack = new AsyncDisposableStack();
  const base = stack.use(await testDeps());
  const dataDir = await mkdtemp(join(tmpdir(), 'landfall-installation-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const settings = loadSettings(gatewaySettings, { env: { LANDFALL_DATA_DIR: dataDir } });
  const modules = createModules(MODULES, base.deps, settings);
  const operations = modules.flatMap((module) => module.operations);
  const data = await seed({ modules, deps: base.deps, stack });
  const resources = stack.move();
  return {
    settings,
    modules,
    operations,
    data,
    deps: base.deps,
    connection: base.connection,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
