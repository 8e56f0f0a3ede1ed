import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '@landfall/kernel/core/fault';
import type { Operation } from '@landfall/kernel/operation/operation';
import { caller } from '@landfall/kernel/testing/callers';
import { createTestInstallation } from './test-installation.ts';

const READ = ['scanner.scans.read', 'scanner:read'];
const WRITE = ['scanner.scans.write', 'scanner:write'];
const DOTTED = ['scanner.scans.read', 'scanner.scans.write'];

let installation: Awaited<ReturnType<typeof createTestInstallation>>;
before(async () => {
  installation = await createTestInstallation();
});
after(() => installation[Symbol.asyncDispose]());

const isOf = (policy: readonly string[]) => (operation: Operation<unknown>) =>
  operation.spec.scope.join() === policy.join();

/** Whether an operation refuses a caller with these scopes only for its scopes. */
const refuses = async (operation: Operation<unknown>, ...scopes: readonly string[]): Promise<boolean> => {
  const [kind = 'user'] = operation.spec.callers;
  try {
    await operation(caller({ tenant: 'globex', subject: 'somebody', scopes, kind }), operation.spec.example);
    return false;
  } catch (error) {
    if (error instanceof Fault) return error.code === 'PERM_SCOPE_DENIED';
    throw error;
  }
};

/** Names of the operations of a policy that refuse, or do not, as they should by the caller's scope. */
const wrong = async (policy: readonly string[], others: readonly string[]): Promise<string[]> => {
  const operations = installation.operations.filter(isOf(policy));
  assert.ok(operations.length > 5);
  const names: string[] = [];
  for (const operation of operations) {
    for (const scope of policy) if (await refuses(operation, scope)) names.push(`${operation.spec.name} ${scope}`);
    for (const scope of others) if (!(await refuses(operation, scope))) names.push(`${operation.spec.name} ${scope}`);
  }
  return names;
};

// spec: 5/scans-read
test('each operation of ScansRead is met by either of its scopes and by no other', async () => {
  assert.deepEqual(await wrong(READ, [...WRITE, 'scanner', 'scanner.read', 'scans:read', 'findings:read']), []);
});

// spec: 5/scans-write
test('each operation of ScansWrite is met by either of its scopes and by no other', async () => {
  assert.deepEqual(await wrong(WRITE, [...READ, 'scanner', 'scanner.write', 'scans:write']), []);
});

// spec: 5/dotted-scopes
test('the dotted scopes open operations of the scanner only', async () => {
  const scanner = installation.modules.find(({ name }) => name === 'scanner');
  const own = new Set(scanner?.operations.map(({ spec }) => spec.name));
  const opened: string[] = [];
  for (const operation of installation.operations)
    if (operation.spec.scope.length > 0 && !(await refuses(operation, ...DOTTED))) opened.push(operation.spec.name);
  assert.ok(opened.length > 10);
  assert.deepEqual(
    opened.filter((name) => !own.has(name)),
    [],
  );
});
