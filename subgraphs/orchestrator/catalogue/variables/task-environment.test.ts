import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { environmentOf, secretsOf } from './task-environment.ts';

const target = (env: { name: string; value: string }[], secretRefs: { variable: string; secret: string }[]) => ({
  config: { env },
  secretRefs,
});

test('the environment’s set yields to the target’s variables, and both to its secrets', () => {
  const variables = [
    { name: 'A', value: 'set', secret: null },
    { name: 'B', value: 'set', secret: null },
    { name: 'C', value: 'set', secret: null },
    { name: 'D', value: null, secret: 'set/secret' },
    { name: 'E', value: null, secret: 'env:SET' },
    { name: 'F', value: null, secret: 'vault:main/set#key' },
  ];
  const own = target(
    [
      { name: 'B', value: 'own' },
      { name: 'C', value: 'own' },
      { name: 'D', value: 'own' },
    ],
    [
      { variable: 'C', secret: 'file:own' },
      { variable: 'E', secret: 'own' },
    ],
  );
  const environment = environmentOf(own, variables);
  assert.deepEqual(environment, {
    env: { A: 'set', B: 'own', D: 'own' },
    agentSecrets: { C: 'file:own' },
    secretRefs: { E: 'own', F: 'vault:main/set#key' },
  });
  assert.deepEqual(secretsOf(environment), ['file:own', 'own', 'vault:main/set#key']);
});

test('a variable is filled by one alone, whoever names it', () => {
  const name = fc.constantFrom('A', 'B', 'C', 'D');
  const secret = fc.constantFrom('name', 'env:X', 'file:x', 'vault:main/x#y');
  const variable = fc.oneof(
    fc.record({ name, value: fc.string(), secret: fc.constant(null) }),
    fc.record({ name, value: fc.constant(null), secret }),
  );
  const env = fc.array(fc.record({ name, value: fc.string() }));
  const refs = fc.array(fc.record({ variable: name, secret }));
  fc.assert(
    fc.property(fc.array(variable), env, refs, (variables, own, secrets) => {
      const filled = environmentOf(target(own, secrets), variables);
      const names = [filled.env, filled.agentSecrets, filled.secretRefs].flatMap((part) => Object.keys(part));
      const expected = [
        ...variables.map((each) => each.name),
        ...own.map((each) => each.name),
        ...secrets.map((each) => each.variable),
      ];
      assert.deepEqual(names.toSorted(), [...new Set(expected)].toSorted());
    }),
  );
});
