import { isDeepStrictEqual } from 'node:util';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import * as products from '../../catalogue/products/product.ts';
import { expectVersion } from '../../shared/expected-version.ts';
import { componentName, expectedVersion } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { readsById } from '../../shared/read-operations.ts';
import { administers, operates, reads } from '../../shared/scopes.ts';
import { gatherUnreleased } from './gathering.ts';
import { defaults, repositoryOf, selectionInput, selectionOf, settingsInput } from './source-input.ts';
import * as store from './sources.store.ts';

/** Limit of the sources of a product. */
const MAX_SOURCES = 100;

/** Refuses to poll a source that is disabled. */
export const pollRefusal = ({ isEnabled, component }: Pick<store.ReleaseSource, 'isEnabled' | 'component'>) =>
  isEnabled
    ? undefined
    : new Fault('RES_CONFLICT', `The source of ${component} is disabled. Enable it first.`, {
        state: 'disabled',
        allowed: ['enabled'],
      });

const facts = ({
  component,
  repository,
  selection,
  isEnabled,
  policy,
  versionScheme,
  debounceSeconds,
  intervalSeconds,
}: store.ReleaseSource) => ({
  component,
  repository,
  selection,
  isEnabled,
  policy,
  versionScheme,
  debounceSeconds,
  intervalSeconds,
});

/** Locks a source after its product, in the order in which a change of the product locks them. @throws Fault RES_NOT_FOUND */
const lockSource = async (tx: Tx, { tenant }: Who, id: store.SourceId) => {
  const { productId } = await store.get(tx, tenant, id);
  const product = await products.getLocked(tx, tenant, productId);
  return { product, source: await store.getLocked(tx, tenant, id) };
};

/** Creates the operations on release sources, from whose images releases of a product are created. */
export const createSources = ({ operation, ids }: Pick<Deps, 'operation' | 'ids'>) => ({
  list: operation({
    name: 'source.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({ productId: idOf('Product') }),
    example: { productId: exampleId('Product') },
    run: (caller, { productId }, query) => store.listByProducts(query, caller.tenant, [productId]),
  }),

  get: operation({
    name: 'source.get',
    ...readsById('ReleaseSource', 'RES_NOT_FOUND'),
    scope: reads,
    run: (caller, { id }, query) => store.get(query, caller.tenant, id),
  }),

  create: operation({
    name: 'source.create',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      productId: idOf('Product'),
      component: componentName,
      selection: selectionInput,
      ...settingsInput,
    }),
    raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS', 'RES_CONFLICT'],
    example: {
      productId: exampleId('Product'),
      component: 'web',
      repository: 'registry.example/shop/web',
      selection: { range: '^1.4' },
    },
    async run(caller, { productId, component, selection, repository, ...settings }, tx) {
      const rule = selectionOf(selection);
      // The lock keeps the declaration, and the number of sources, as they are.
      const product = await products.getLocked(tx, caller.tenant, productId);
      const others = await store.listByProducts(tx, caller.tenant, [productId]);
      if (others.length >= MAX_SOURCES)
        throw new Fault('RES_CONFLICT', `${product.name} has ${MAX_SOURCES} sources. Remove one first.`, {
          limit: MAX_SOURCES,
        });
      const source = await store.insert(tx, caller, {
        id: toId(ids.uuid(), 'ReleaseSource'),
        productId,
        component,
        repository: repositoryOf(product, component, repository),
        selection: rule,
        ...defaults,
        ...settings,
      });
      await publishEvent(tx, caller, 'source.create', 'ReleaseSource', source, {
        product: productId,
        ...facts(source),
      });
      return source;
    },
  }),

  update: operation({
    name: 'source.update',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      id: idOf('ReleaseSource'),
      expectedVersion,
      selection: Type.Optional(selectionInput),
      ...settingsInput,
    }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: { id: exampleId('ReleaseSource'), expectedVersion: 1, policy: 'finalize' },
    async run(caller, { id, expectedVersion: expected, selection, repository, ...settings }, tx) {
      const { product, source: before } = await lockSource(tx, caller, id);
      expectVersion(before, expected);
      const isEnabled = settings.isEnabled ?? before.isEnabled;
      const rule = selection && selectionOf(selection);
      // A disabled source needs no declaration, so its component may have lost it.
      const current =
        isEnabled || repository !== undefined
          ? repositoryOf(
              product,
              before.component,
              repository ?? (product.components === null ? before.repository : undefined),
            )
          : before.repository;
      const source = await store.update(tx, caller, before, {
        ...settings,
        // The image that the same rule selected stays selected.
        ...(rule && !isDeepStrictEqual(rule, before.selection) && { selection: rule }),
        ...(current !== before.repository && { repository: current }),
      });
      await gatherUnreleased(tx, caller.tenant, ids, source.productId);
      await publishEvent(tx, caller, 'source.update', 'ReleaseSource', source, facts(source));
      return source;
    },
  }),

  remove: operation({
    name: 'source.remove',
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('ReleaseSource'), expectedVersion }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: { id: exampleId('ReleaseSource'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion: expected }, tx) {
      const { source } = await lockSource(tx, caller, id);
      expectVersion(source, expected);
      await store.remove(tx, caller.tenant, id);
      await gatherUnreleased(tx, caller.tenant, ids, source.productId);
      await publishEvent(tx, caller, 'source.remove', 'ReleaseSource', source, {
        product: source.productId,
        component: source.component,
      });
      return source;
    },
  }),

  /** Lets the source be polled by the next turn of the poller, within seconds. */
  poll: operation({
    name: 'source.poll',
    kind: 'write',
    scope: operates,
    input: Type.Object({ id: idOf('ReleaseSource') }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { id: exampleId('ReleaseSource') },
    async run(caller, { id }, tx) {
      const { source } = await lockSource(tx, caller, id);
      refuse(pollRefusal(source));
      await store.pollNow(tx, caller.tenant, id);
      await gatherUnreleased(tx, caller.tenant, ids, source.productId);
      await publishEvent(tx, caller, 'source.poll', 'ReleaseSource', source, { component: source.component });
      return store.get(tx, caller.tenant, id);
    },
  }),
});
