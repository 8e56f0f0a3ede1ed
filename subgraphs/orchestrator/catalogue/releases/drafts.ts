import { MAX_COMPONENTS } from '@landfall/agent/protocol/limits';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import type { FaultCode } from '@landfall/schema/codes';
import Type from 'typebox';
import { expectVersion } from '../../shared/expected-version.ts';
import { componentName, expectedVersion } from '../../shared/input.ts';
import { refuse } from '../../shared/permission.ts';
import { operates } from '../../shared/scopes.ts';
import { REGISTRY_RAISES, type Registries } from '../integrations/registries.ts';
import * as products from '../products/product.ts';
import { componentsRefusal } from '../products/product-rules.ts';
import { componentInput, componentOf } from './component-input.ts';
import { resolveAll } from './component-resolution.ts';
import * as components from './components.store.ts';
import { declarationRefusal, finalizeLocked } from './finalization.ts';
import type { ReleaseListener } from './ports.ts';
import { lockRelease, recordChange } from './release.ts';
import { changeRefusal } from './release-rules.ts';
import * as store from './releases.store.ts';

const change = Type.Object({ releaseId: idOf('Release'), expectedVersion, component: componentInput });
const exampleChange = {
  releaseId: exampleId('Release'),
  expectedVersion: 1,
  component: { name: 'web', repository: 'registry.example/shop/web', tag: '1.0.0' },
};

const has = (release: store.Release, component: string): boolean =>
  release.components.some(({ name }) => name === component);

/** Fault of a component that would make a task larger than an agent accepts. */
const tooMany = (): Fault =>
  invalid([{ field: 'component', message: `would be number ${MAX_COMPONENTS + 1}`, code: 'VAL_TOO_LONG' }]);

const expectComponent = (release: store.Release, name: string): void => {
  if (!has(release, name))
    throw new Fault('RES_NOT_FOUND', `The release has no component ${name}.`, { release: release.id, component: name });
};

export const createDrafts = ({ operation, database }: Deps, registries: Registries, listener: ReleaseListener) => {
  /** Operation that adds or updates one component of a draft. */
  const changeComponent = <Code extends FaultCode>(
    name: 'release.addComponent' | 'release.updateComponent',
    raises: Code,
    write: (tx: Tx, tenant: TenantId, release: store.Release, spec: components.ComponentSpec) => Promise<unknown>,
  ) =>
    operation({
      name,
      kind: 'write',
      scope: operates,
      input: change,
      raises: ['RES_RELEASE_NOT_FOUND', 'RES_VERSION_CONFLICT', 'REL_ALREADY_FINALIZED', raises],
      example: exampleChange,
      async run(caller, { releaseId, expectedVersion: expected, component }, tx) {
        const spec = componentOf(component);
        const release = await lockRelease(tx, caller, releaseId, expected);
        refuse(changeRefusal(release));
        const [product] = await products.listByIds(tx, caller.tenant, [release.productId]);
        if (product) refuse(componentsRefusal(product, [{ field: 'component', component: spec }]));
        await write(tx, caller.tenant, release, spec);
        await store.touch(tx, caller.tenant, releaseId, caller.subject);
        return recordChange(tx, caller, name, releaseId, { component: spec });
      },
    });

  return {
    addComponent: changeComponent('release.addComponent', 'RES_ALREADY_EXISTS', async (tx, tenant, release, spec) => {
      if (has(release, spec.name))
        throw new Fault('RES_ALREADY_EXISTS', `The release has a component ${spec.name} already.`, { name: spec.name });
      if (release.components.length >= MAX_COMPONENTS) throw tooMany();
      await components.insert(tx, tenant, release.id, spec);
    }),

    updateComponent: changeComponent('release.updateComponent', 'RES_NOT_FOUND', async (tx, tenant, release, spec) => {
      expectComponent(release, spec.name);
      await components.update(tx, tenant, release.id, spec);
    }),

    removeComponent: operation({
      name: 'release.removeComponent',
      kind: 'write',
      scope: operates,
      input: Type.Object({ releaseId: idOf('Release'), expectedVersion, name: componentName }),
      raises: ['RES_RELEASE_NOT_FOUND', 'RES_VERSION_CONFLICT', 'REL_ALREADY_FINALIZED', 'RES_NOT_FOUND'],
      example: { releaseId: exampleId('Release'), expectedVersion: 1, name: 'web' },
      async run(caller, { releaseId, expectedVersion: expected, name }, tx) {
        const release = await lockRelease(tx, caller, releaseId, expected);
        refuse(changeRefusal(release));
        expectComponent(release, name);
        await components.remove(tx, caller.tenant, releaseId, name);
        await store.touch(tx, caller.tenant, releaseId, caller.subject);
        return recordChange(tx, caller, 'release.removeComponent', releaseId, { component: name });
      },
    }),

    finalize: operation({
      name: 'release.finalize',
      cost: 500,
      isRemote: true,
      kind: 'write',
      scope: operates,
      input: Type.Object({ id: idOf('Release'), expectedVersion }),
      raises: [
        'RES_RELEASE_NOT_FOUND',
        'RES_VERSION_CONFLICT',
        'REL_ALREADY_FINALIZED',
        'REL_COMPONENT_MISSING',
        'REL_TAG_NOT_FOUND',
        'REL_DIGEST_MISMATCH',
        ...REGISTRY_RAISES,
      ],
      example: { id: exampleId('Release'), expectedVersion: 1 },
      async prepare(caller, { id, expectedVersion: expected }) {
        const { release, product } = await database.read(caller.tenant, async (query) => {
          const found = await store.get(query, caller.tenant, id);
          const [owner] = await products.listByIds(query, caller.tenant, [found.productId]);
          return { release: found, product: owner };
        });
        expectVersion(release, expected);
        refuse(declarationRefusal(release, product));
        return resolveAll(caller, registries, release.components);
      },
      async run(caller, { id, expectedVersion: expected }, tx, resolved) {
        await failpoint('release.finalize.resolved');
        // The same version has the same components, so what was resolved is what is gated.
        const release = await lockRelease(tx, caller, id, expected);
        refuse(declarationRefusal(release, await products.findLocked(tx, caller.tenant, release.productId)));
        return finalizeLocked(tx, caller, listener, id, resolved);
      },
    }),
  };
};
