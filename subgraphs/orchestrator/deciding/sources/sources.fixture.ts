import type { Id } from '@landfall/kernel/core/ids';
import { toTenantId } from '@landfall/kernel/core/ids';
import { type CatalogueApp, imageOf } from '../../testing/catalogue-app.ts';
import * as candidates from './candidates.store.ts';
import * as refused from './refused-candidates.store.ts';
import type { ReleaseSource } from './sources.store.ts';

const acme = toTenantId('acme');
const MINUTE = 60_000;

type Fields = Readonly<Record<string, unknown>>;

/** Products with sources over the registry of a catalogue, and the workers that serve them. */
export const sourcesOf = (app: CatalogueApp) => {
  const admin = app.caller('operator');
  let count = 0;

  const poll = async (): Promise<void> => {
    while ((await app.module.runOnce.sourcePoller()) > 0);
  };

  const assemble = async (): Promise<void> => {
    while ((await app.module.runOnce.releaseAssembler()) > 0);
  };

  return {
    admin,
    poll,
    assemble,
    /** Lets every interval and debounce pass, and both workers do what is due. */
    async pass(minutes = 3): Promise<void> {
      await app.clock.advance(minutes * MINUTE);
      await poll();
      await app.clock.advance(minutes * MINUTE);
      await assemble();
    },
    push: (path: string, tag: string, content = `${path} ${tag}`) => app.registry.push(path, imageOf(content), tag),
    /** Product of its own with these components, and the paths of their repositories. */
    async product(...names: readonly string[]) {
      count += 1;
      const own = `own-${count}`;
      const components = (names.length > 0 ? names : ['web']).map((name) => ({
        name,
        repository: app.registry.repository(`${own}/${name}`),
      }));
      const { id, version } = await app.module.products.create(admin, { name: own, components });
      return { id, version, name: own, components, path: (name: string) => `${own}/${name}` };
    },
    source: (productId: Id<'Product'>, overrides: Fields = {}): Promise<ReleaseSource> =>
      app.module.sources.create(admin, { productId, component: 'web', selection: { range: '^1.0' }, ...overrides }),
    current: ({ id }: ReleaseSource) => app.module.sources.get(admin, { id }),
    releases: async (productId: Id<'Product'>) =>
      (await app.module.releases.list(admin, { filter: { productId } })).items,
    async candidate(productId: Id<'Product'>) {
      const [newest] = await app.deps.database.read(acme, (query) => candidates.listNewest(query, acme, [productId]));
      return newest;
    },
    refused: (productId: Id<'Product'>) =>
      app.deps.database.read(acme, (query) => refused.listByProducts(query, acme, [productId])),
  };
};

export type Sources = ReturnType<typeof sourcesOf>;
