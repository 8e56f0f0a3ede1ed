import assert from 'node:assert/strict';
import { Fault } from '@landfall/kernel/core/fault';
import type { Operation } from '@landfall/kernel/operation/operation';
import type { TenantData } from '@landfall/kernel/operation/seed';
import { caller } from '@landfall/kernel/testing/callers';
import { inputOf } from '@landfall/kernel/testing/matrix';
import { createTestInstallation } from './test-installation.ts';

/** Hostile and unusual values of a field. */
const hostile: readonly unknown[] = [
  '',
  ' ',
  'a\0b',
  '\ud800',
  "'; drop table orchestrator.releases; --",
  '../../etc/passwd',
  'x'.repeat(100_000),
  'sha256:',
  '99999999-9999-9999-9999-999999999999',
  '2026-02-30T00:00:00Z',
  '-271821-04-20T00:00:00.000Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  true,
  null,
  [],
  {},
  ['', '', ''],
  { __proto__: null, constructor: 'x' },
];

/** Builds copies of `value`: in each, one leaf, list or object is replaced or a field is added. */
const variants = (value: unknown): unknown[] => {
  if (Array.isArray(value))
    return [...hostile, ...value.flatMap((item, i) => variants(item).map((other) => value.with(i, other)))];
  if (typeof value !== 'object' || value === null) return [...hostile];
  const entries = Object.entries(value);
  return [
    ...hostile,
    ...entries.flatMap(([name, item]) => variants(item).map((other) => ({ ...value, [name]: other }))),
    { ...value, unknown: 1 },
  ];
};

/** Completes an operation's example by the optional fields of its schema. */
const complete = (operation: Operation<unknown>, data: TenantData): object => {
  const properties: unknown = Reflect.get(operation.spec.input, 'properties');
  const named = Object.keys(Object(properties)).map((name) => [name, undefined]);
  return { ...Object.fromEntries(named), ...Object(inputOf(operation, data)) };
};

const bugOf = async (operation: Operation<unknown>, { ids }: TenantData, input: unknown) => {
  const { name, callers } = operation.spec;
  const [kind = 'user'] = callers;
  const subject = (kind === 'agent' ? ids.Agent : ids.User) ?? assert.fail();
  try {
    await operation(caller({ subject, kind, scopes: operation.spec.scope }), input);
  } catch (error) {
    if (!(error instanceof Fault)) return `${name} ${JSON.stringify(input).slice(0, 200)}: ${String(error)}`;
  }
  return undefined;
};

/**
 * Sends hostile inputs to every operation: one of `every` variants of its example, others for each operation.
 * @returns what was thrown and is no fault, one line each, and the number of inputs
 */
export const sendHostileInputs = async (every: number) => {
  await using installation = await createTestInstallation();
  const bugs: string[] = [];
  let sent = 0;
  for (const [nth, operation] of installation.operations.entries())
    for (const [at, input] of variants(complete(operation, installation.data)).entries()) {
      if (at % every !== nth % every) continue;
      sent += 1;
      const bug = await bugOf(operation, installation.data, input);
      if (bug !== undefined) bugs.push(bug);
    }
  return { bugs, sent };
};
