import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { REPOSITORY_PATTERN, REPOSITORY_REFUSAL } from '@landfall/kernel/oci/repository';
import { freeText, patterned } from '@landfall/kernel/operation/input';
import { MAX_PAGE } from '@landfall/kernel/operation/page';
import Type, { type Static } from 'typebox';
import { expectVersion } from '../../shared/expected-version.ts';
import { componentName, expectedVersion, label } from '../../shared/input.ts';
import { labelsInput, labelsOf } from '../../shared/labels.ts';
import { refuse } from '../../shared/permission.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { readsById } from '../../shared/read-operations.ts';
import { administers, reads } from '../../shared/scopes.ts';
import * as environments from '../environments/environment.ts';
import { pathInput, pathOf, pathRefusal } from './path-input.ts';
import * as steps from './path-steps.store.ts';
import type { ProductListener } from './ports.ts';
import { removeRefusal } from './product-rules.ts';
import * as store from './products.store.ts';

/** Limit of components that a product declares. */
const MAX_DECLARED = 100;

const declared = Type.Object({
  name: componentName,
  repository: patterned(REPOSITORY_PATTERN, REPOSITORY_REFUSAL, { minLength: 1, maxLength: 400 }),
  required: Type.Optional(Type.Boolean()),
});

/** Components of a product, which could release nothing if it had none. */
const declaration = Type.Array(declared, { minItems: 1, maxItems: MAX_DECLARED });

const settings = {
  description: Type.Optional(freeText(2000)),
  ownerGroups: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 20, uniqueItems: true }),
  ),
  labels: Type.Optional(labelsInput),
  components: Type.Optional(declaration),
};

type Declared = Static<typeof declared>;

/**
 * Converts declared components; those that do not say otherwise are required.
 * @throws Fault VAL_INVALID_VALUE when two have the same name
 */
const declarationOf = (inputs: readonly Declared[]): store.DeclaredComponent[] => {
  const names = inputs.map(({ name }) => name);
  const [first, ...others] = inputs.flatMap(({ name }, index): FieldFault[] =>
    names.indexOf(name) < index
      ? [{ field: `components.${index}.name`, message: 'is there twice', code: 'VAL_INVALID_VALUE' }]
      : [],
  );
  if (first) throw invalid([first, ...others]);
  return inputs.map(({ name, repository, required = true }) => ({ name, repository, required }));
};

/** Creates the operations on products: what a tenant ships, along a path of environments. */
export const createProducts = ({ operation, ids }: Deps, listener: ProductListener) => ({
  list: operation({
    name: 'product.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({
      first: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
      /** Name of the last product of the previous page. */
      after: Type.Optional(label),
      ownerGroup: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      labels: Type.Optional(labelsInput),
    }),
    example: { first: 10 },
    run: (caller, { first = MAX_PAGE, after, ownerGroup, labels = [] }, query) =>
      store.list(
        query,
        caller.tenant,
        { ...(ownerGroup !== undefined && { ownerGroup }), labels: labelsOf(labels) },
        { limit: first, after },
      ),
  }),

  get: operation({
    name: 'product.get',
    ...readsById('Product', 'RES_NOT_FOUND'),
    scope: reads,
    run: (caller, { id }, query) => store.get(query, caller.tenant, id),
  }),

  create: operation({
    name: 'product.create',
    kind: 'write',
    scope: administers,
    input: Type.Object({ name: label, ...settings }),
    raises: ['RES_ALREADY_EXISTS'],
    example: { name: 'shop', components: [{ name: 'web', repository: 'registry.example/shop/web' }] },
    async run(caller, { name, description, ownerGroups, labels = [], components }, tx) {
      const product = await store.insert(
        tx,
        caller.tenant,
        toId(ids.uuid(), 'Product'),
        {
          name,
          labels: labelsOf(labels),
          ...(description !== undefined && { description }),
          ...(ownerGroups && { ownerGroups }),
          ...(components && { components: declarationOf(components) }),
        },
        caller.subject,
      );
      await publishEvent(tx, caller, 'product.create', 'Product', product, {
        name,
        components: product.components,
        description: product.description,
        ownerGroups: product.ownerGroups,
        labels: product.labels,
      });
      return product;
    },
  }),

  update: operation({
    name: 'product.update',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      id: idOf('Product'),
      expectedVersion,
      ...settings,
      description: Type.Optional(Type.Union([freeText(2000), Type.Null()])),
      // Null: releases choose their components themselves again.
      components: Type.Optional(Type.Union([declaration, Type.Null()])),
    }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: { id: exampleId('Product'), expectedVersion: 1, description: 'The shop.' },
    async run(caller, { id, expectedVersion: expected, labels, components, ...input }, tx) {
      expectVersion(await store.getLocked(tx, caller.tenant, id), expected);
      const product = await store.update(
        tx,
        caller.tenant,
        id,
        {
          ...input,
          ...(labels && { labels: labelsOf(labels) }),
          ...(components !== undefined && { components: components && declarationOf(components) }),
        },
        caller.subject,
      );
      await publishEvent(tx, caller, 'product.update', 'Product', product, {
        name: product.name,
        ...input,
        ...(labels && { labels: product.labels }),
        ...(components !== undefined && { components: product.components }),
      });
      if (components !== undefined) await listener.onDeclared(tx, caller, product);
      return product;
    },
  }),

  setPath: operation({
    name: 'product.setPath',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      id: idOf('Product'),
      expectedVersion,
      // Null: the environments of the tenant, in order.
      steps: Type.Union([pathInput, Type.Null()]),
    }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_ENVIRONMENT_NOT_FOUND', 'ENV_CIRCULAR_PROMOTION'],
    example: {
      id: exampleId('Product'),
      expectedVersion: 1,
      steps: [{ environmentId: exampleId('Environment'), after: [] }],
    },
    async run(caller, { id, expectedVersion: expected, steps: input }, tx) {
      expectVersion(await store.getLocked(tx, caller.tenant, id), expected);
      const path = input && pathOf(input);
      if (path) {
        await environments.lockShared(
          tx,
          caller.tenant,
          path.map(({ environmentId }) => environmentId),
        );
        refuse(pathRefusal(path, await environments.list(tx, caller.tenant)));
      }
      await steps.replace(tx, caller.tenant, id, path ?? []);
      const product = await store.update(tx, caller.tenant, id, { hasOwnPath: path !== null }, caller.subject);
      await publishEvent(tx, caller, 'product.setPath', 'Product', product, { name: product.name, steps: path });
      return product;
    },
  }),

  remove: operation({
    name: 'product.remove',
    kind: 'write',
    scope: administers,
    input: Type.Object({ id: idOf('Product'), expectedVersion }),
    raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT', 'RES_CONFLICT'],
    example: { id: exampleId('Product'), expectedVersion: 1 },
    async run(caller, { id, expectedVersion: expected }, tx) {
      const product = await store.getLocked(tx, caller.tenant, id);
      expectVersion(product, expected);
      refuse(removeRefusal(product, await store.listTargets(tx, caller.tenant, id)));
      // A path without steps: none of its releases can be promoted.
      await steps.replace(tx, caller.tenant, id, []);
      const removed = await store.remove(tx, caller.tenant, id, caller.subject);
      await publishEvent(tx, caller, 'product.remove', 'Product', removed, { name: product.name });
      await listener.onRemoved(tx, caller, product);
      return removed;
    },
  }),
});
