import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testDeps } from '@landfall/kernel/testing/app';
import { MODULES } from '@landfall/rest-compat/modules';
import { type GraphQLInputType, getNamedType, isInputObjectType, isNonNullType } from 'graphql';
import { createModules } from '../modules/modules.ts';
import { gatewaySettings } from '../settings/settings.ts';
import { graphFields } from '../testing/graph-operations.ts';

/** Differences that are meant. */
const EXPECTED_EXCEPTIONS = [
  // The specification gives a missing text codes of its own, which the operations raise.
  'search.q: required by one alone',
  'sendSearchFeedback.query: required by one alone',
  // Measured by REST clients only.
  'recordSearchEvents.events.durationMs: not in the graph',
  // Null is the tenant's environments in order; a path that is not sent is refused.
  'setProductPath.steps: required by one alone',
  // Names of tenants that only a REST request has beside its token (ruling 15).
  'setTimeAnchor.tenantIds: not in the graph',
  // On REST they are asked for once the tenants agree.
  'setTimeAnchor.source: required by one alone',
  'setTimeAnchor.token: required by one alone',
];

/** Fields that the schema of the target's driver checks. */
const OF_DRIVERS = /^(?:create|update)Target\.config\./;

/** Value below a key of a JSON Schema. */
const at = (schema: unknown, key: string): unknown => Reflect.get(Object(schema), key);
const listAt = (schema: unknown, key: string): readonly unknown[] => {
  const value = at(schema, key);
  return Array.isArray(value) ? value : [];
};

/** Objects that a schema is put together from: parts of allOf and anyOf, and items of a list. */
const objectsIn = (schema: unknown): readonly unknown[] =>
  at(schema, 'properties') === undefined
    ? [...listAt(schema, 'allOf'), ...listAt(schema, 'anyOf'), at(schema, 'items')].filter(Boolean).flatMap(objectsIn)
    : [schema];

/** Differences between an input of the graph and the schema that the operation checks it by, as paths with a reason. */
const differences = (type: GraphQLInputType, schema: unknown, path: string): string[] => {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return objectsIn(schema).length > 0 ? [`${path}: an object for the operation`] : [];
  const objects = objectsIn(schema);
  const properties = new Map(objects.flatMap((object) => Object.entries(Object(at(object, 'properties')))));
  const required = new Set(objects.flatMap((object) => listAt(object, 'required')));
  const fields = Object.values(named.getFields()).filter(({ name }) => name !== 'idempotencyKey');
  return [
    ...[...properties.keys()]
      .filter((name) => !(name in named.getFields()))
      .map((name) => `${path}.${name}: not in the graph`),
    ...fields.flatMap(({ name, type: field }) => {
      const property = properties.get(name);
      if (property === undefined) return [`${path}.${name}: unknown to the operation`];
      const unequal = isNonNullType(field) === required.has(name) ? [] : [`${path}.${name}: required by one alone`];
      return [...unequal, ...differences(field, property, `${path}.${name}`)];
    }),
  ];
};

test('an input of the graph has the fields of its operation, required where the operation needs them', async () => {
  await using base = await testDeps();
  const modules = createModules(MODULES, base.deps, loadSettings(gatewaySettings, { env: {} }));
  const fields = (await Promise.all(modules.map(graphFields))).flat();
  const inputs = fields.flatMap(({ field, spec }) =>
    field.args.filter(({ name }) => name === 'input').map(({ type }) => ({ name: field.name, type, spec })),
  );
  assert.ok(inputs.length >= 100, String(inputs.length));
  const found = inputs.flatMap(({ name, type, spec }) => differences(type, spec.input, name));
  assert.deepEqual(
    found.filter((difference) => !OF_DRIVERS.test(difference)).toSorted(),
    EXPECTED_EXCEPTIONS.toSorted(),
  );
});
