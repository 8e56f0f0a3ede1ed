import { MAX_COMPONENTS } from '@landfall/agent/protocol/limits';
import { idOf, toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { freeText, oneOf, semver } from '@landfall/kernel/operation/input';
import { pageFields, pageOf } from '@landfall/kernel/operation/page';
import Type from 'typebox';
import { releaseStatuses } from '../../shared/enums.ts';
import { label } from '../../shared/input.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { pageBefore, readsById } from '../../shared/read-operations.ts';
import { operates, readsReleases } from '../../shared/scopes.ts';
import type { Registries } from '../integrations/registries.ts';
import * as products from '../products/product.ts';
import { componentInput, componentsOf } from './component-input.ts';
import { createDrafts } from './drafts.ts';
import { createLifecycle } from './lifecycle.ts';
import { createDraft } from './new-release.ts';
import type { ReleaseListener } from './ports.ts';
import * as store from './releases.store.ts';

const filter = Type.Object({
  productId: Type.Optional(idOf('Product')),
  status: Type.Optional(oneOf(...releaseStatuses)),
  name: Type.Optional(Type.String({ maxLength: 64 })),
});

/**
 * Creates the operations on releases: sets of images that are fixed to digests by finalize, and promoted from then on.
 */
export const createReleases = (deps: Deps, registries: Registries, listener: ReleaseListener) => {
  const { operation, ids } = deps;
  return {
    list: operation({
      name: 'release.list',
      kind: 'read',
      scope: readsReleases,
      input: Type.Object({ ...pageFields, filter: Type.Optional(filter) }),
      example: { first: 10 },
      async run(caller, { first = 50, after, filter: requested = {} }, query) {
        return pageOf(await store.list(query, caller.tenant, requested, pageBefore(first, after)), first);
      },
    }),

    get: operation({
      name: 'release.get',
      ...readsById('Release', 'RES_RELEASE_NOT_FOUND'),
      scope: readsReleases,
      run: (caller, { id }, query) => store.get(query, caller.tenant, id),
    }),

    create: operation({
      name: 'release.create',
      kind: 'write',
      scope: operates,
      input: Type.Object({
        name: label,
        semver,
        notes: Type.Optional(freeText(20_000)),
        components: Type.Optional(Type.Array(componentInput, { maxItems: MAX_COMPONENTS })),
      }),
      raises: ['RES_ALREADY_EXISTS'],
      example: { name: 'shop', semver: '1.0.0' },
      async run(caller, { name, semver: version, notes, components = [] }, tx) {
        const specs = componentsOf(components);
        const { product, isNew } = await products.ensure(
          tx,
          caller.tenant,
          () => toId(ids.uuid(), 'Product'),
          name,
          caller.subject,
        );
        if (isNew) await publishEvent(tx, caller, 'product.create', 'Product', product, { name, components: null });
        const id = toId(ids.uuid(), 'Release');
        return createDraft(tx, caller, product, { id, semver: version, notes, components: specs });
      },
    }),

    ...createDrafts(deps, registries, listener),
    ...createLifecycle(deps, listener),
  };
};
