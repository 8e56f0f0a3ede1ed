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
  const modules = createModules(MODULES, base.deps, loadSettings(gatewaySettings, { env: {} }));
  const operations = modules.flatMap((module) => module.operations);
  const data = await seed({ modules, deps: base.deps, stack });
  const resources = stack.move();
  return {
    operations,
    data,
    deps: base.deps,
    connection: base.connection,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
