import type { Module } from '@landfall/kernel/module';
import type { SeedContext, SeedSpec, TenantData } from '@landfall/kernel/operation/seed';
import { caller } from '@landfall/kernel/testing/callers';
import { buildImage } from '@landfall/kernel/testing/oci-image';
import { startRegistry } from '@landfall/kernel/testing/oci-registry';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';

/** Text in every name that the owner uses, so that a leak to another tenant can be found. */
export const MARK = 'acme-only';

const seedsOf = async (installed: readonly InstalledModule[]) =>
  (await Promise.all(installed.map((module) => module.seed()))).flat().toSorted((a, b) => a.order - b.order);

/** Merges the expectations of every module's seed. */
export const seedSpec = async (
  installed: readonly InstalledModule[] = MODULES,
): Promise<Required<Omit<SeedSpec, 'order'>>> => {
  const seeds = await seedsOf(installed);
  return {
    unscoped: Object.assign({}, ...seeds.map(({ unscoped }) => unscoped)),
    shared: Object.assign({}, ...seeds.map(({ shared }) => shared)),
    sharedFields: Object.assign({}, ...seeds.map(({ sharedFields }) => sharedFields)),
    ownFields: Object.assign({}, ...seeds.map(({ ownFields }) => ownFields)),
    values: Object.assign({}, ...seeds.map(({ values }) => values)),
  };
};

/** Creates the registry of a seed; it lives until the stack is disposed of. */
const seedRegistry = async (stack: AsyncDisposableStack): Promise<SeedContext['registry']> => {
  const registry = stack.use(await startRegistry());
  return {
    origin: registry.origin,
    repository: (name) => registry.repository(name),
    pushImage: (repository, tag) =>
      registry.push(repository, buildImage({ layers: [[{ path: 'app', content: tag }]] }), tag),
  };
};

interface Seeded {
  readonly modules: readonly Module[];
  readonly deps: SeedContext['deps'];
  /** Owner of the registry's lifetime. */
  readonly stack: AsyncDisposableStack;
  readonly installed?: readonly InstalledModule[];
}

/** Creates one entity of each kind in tenant acme, through the modules' operations. */
export const seed = async ({ modules, deps, stack, installed = MODULES }: Seeded): Promise<TenantData> => {
  const scopes = modules.flatMap(({ operations }) => operations.flatMap(({ spec }) => spec.scope));
  const person = (subject: string) => caller({ subject, scopes });
  const registry = await seedRegistry(stack);
  const context = { deps, registry, mark: MARK, owner: person('owner'), approver: person('approver') };
  const ids: Record<string, string> = {};
  const inputs: Record<string, unknown> = {};
  for (const { create } of await seedsOf(installed)) {
    const data = await create(modules, { ...context, ids });
    Object.assign(ids, data.ids);
    Object.assign(inputs, data.inputs);
  }
  return { ids, inputs };
};
