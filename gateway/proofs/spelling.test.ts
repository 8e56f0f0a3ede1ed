import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '@landfall/kernel/operation/operation';
import { caller } from '@landfall/kernel/testing/callers';
import { inputOf } from '@landfall/kernel/testing/matrix';
import { createTestInstallation } from './test-installation.ts';

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
/** Actors of records, workers among them, so that no format is checked; records spell ids one way. */
const ACTORS: ReadonlySet<string> = new Set(['user.resolve']);

const HAS_ID = new RegExp(UUID.source);
const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

const inCapitals = (input: unknown): unknown =>
  JSON.parse(JSON.stringify(input).replace(UUID, (id) => id.toUpperCase()));

const textOf = (value: unknown): string =>
  (JSON.stringify(value, (_name, item: unknown) => (typeof item === 'bigint' ? String(item) : item)) ?? '').replace(
    INSTANT,
    'now',
  );

test('a read finds and says the same of an id in capitals, whichever door it came through', async () => {
  await using installation = await createTestInstallation();
  const reads = installation.operations.filter(
    (operation) =>
      !ACTORS.has(operation.spec.name) &&
      operation.spec.kind === 'read' &&
      HAS_ID.test(JSON.stringify(inputOf(operation, installation.data) ?? null)),
  );
  const different: string[] = [];
  const ask = async (operation: Operation<unknown>, input: unknown): Promise<string> => {
    const { spec } = operation;
    const [kind = 'user'] = spec.callers;
    const subject = (kind === 'agent' ? installation.data.ids.Agent : installation.data.ids.User) ?? 'owner';
    return operation(caller({ subject, kind, scopes: spec.scope }), input).then(textOf, (error: unknown) =>
      String(error),
    );
  };
  for (const operation of reads) {
    const input = inputOf(operation, installation.data);
    const [lower, upper] = [await ask(operation, input), await ask(operation, inCapitals(input))];
    if (lower !== upper) different.push(`${operation.spec.name}\n  ${lower.slice(0, 200)}\n  ${upper.slice(0, 200)}`);
  }
  assert.deepEqual(different, []);
  assert.ok(reads.length > 15, `${reads.length} reads name something by an id`);
});
