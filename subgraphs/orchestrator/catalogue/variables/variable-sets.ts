import { MAX_SECRET_REFS } from '@landfall/agent/protocol/limits';
import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import Type, { type Static } from 'typebox';
import { expectVersion } from '../../shared/expected-version.ts';
import { secretReference, variableName } from '../../shared/input.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers } from '../../shared/scopes.ts';
import * as environments from '../environments/environment.ts';
import * as store from './variable-sets.store.ts';

export const { find, findNewest, listByEnvironments, listNewest, listVersions } = store;
export type Variable = store.Variable;
export type VariableSet = store.VariableSet;

const MAX_VARIABLES = 200;
const MAX_VALUE = 32_768;

const variableInput = Type.Object({
  name: variableName,
  value: Type.Optional(Type.String({ maxLength: MAX_VALUE })),
  secret: Type.Optional(secretReference),
});

const faultIf = (isFault: boolean, field: string, message: string, code: FieldFault['code']): FieldFault[] =>
  isFault ? [{ field, message, code }] : [];

/** Finds faults that the schema cannot express: in the choice of value or secret, in names and in the number. */
const faultsIn = (variables: readonly Static<typeof variableInput>[]): FieldFault[] => {
  const names = new Set<string>();
  const faults = variables.flatMap(({ name, value, secret }, i): FieldFault[] => {
    const field = `variables.${i}`;
    const isDuplicate = names.has(name);
    names.add(name);
    const [hasValue, hasSecret] = [value !== undefined, secret !== undefined];
    return [
      ...faultIf(isDuplicate, `${field}.name`, 'is in the set already', 'VAL_INVALID_VALUE'),
      ...faultIf(!hasValue && !hasSecret, `${field}.value`, 'is required without a secret', 'VAL_REQUIRED_FIELD'),
      ...faultIf(hasValue && hasSecret, `${field}.secret`, 'cannot stand beside a value', 'VAL_INVALID_VALUE'),
    ];
  });
  const secrets = variables.filter(({ secret }) => secret !== undefined).length;
  const message = `must not have more than ${MAX_SECRET_REFS} secrets`;
  return [...faults, ...faultIf(secrets > MAX_SECRET_REFS, 'variables', message, 'VAL_TOO_LONG')];
};

/** Creates the operations on variable sets, the variables of an environment. A version never changes. */
export const createVariableSets = ({ operation }: Deps) => ({
  save: operation({
    name: 'variableSet.save',
    kind: 'write',
    scope: administers,
    input: Type.Object({
      environmentId: idOf('Environment'),
      expectedVersion: Type.Integer({ minimum: 0, maximum: 2_147_483_646 }),
      variables: Type.Array(variableInput, { maxItems: MAX_VARIABLES }),
    }),
    raises: ['RES_ENVIRONMENT_NOT_FOUND', 'RES_VERSION_CONFLICT'],
    example: {
      environmentId: exampleId('Environment'),
      expectedVersion: 0,
      variables: [{ name: 'LOG_LEVEL', value: 'info' }],
    },
    async run(caller, { environmentId, expectedVersion: expected, variables: values }, tx) {
      const [first, ...others] = faultsIn(values);
      if (first) throw invalid([first, ...others]);
      await environments.get(tx, caller.tenant, environmentId);
      const newest = await store.findNewest(tx, caller.tenant, environmentId);
      expectVersion(newest ?? { version: 0 }, expected);
      const variables = values.map(({ name, value = null, secret = null }) => ({ name, value, secret }));
      const set = await store.insert(
        tx,
        caller.tenant,
        { environmentId, version: expected + 1, variables },
        caller.subject,
      );
      // A plain value may still be confidential, so the audit trail has the names of variables only.
      const names = variables.map(({ name, secret }) => ({ name, secret }));
      await publishEvent(
        tx,
        caller,
        'variableSet.save',
        'VariableSet',
        { ...set, id: environmentId },
        { variables: names },
      );
      return set;
    },
  }),
});
