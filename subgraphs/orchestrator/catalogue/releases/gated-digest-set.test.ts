import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Digest } from '@landfall/kernel/crypto/digest';
import fc from 'fast-check';
import { gatedDigestSet } from './gated-digest-set.ts';

const digestOf = (digit: string): Digest => `sha256:${digit.repeat(64)}`;

test('the digest set is the hash of the sorted name@digest lines', () => {
  // Computed apart from this code; web-2 sorts before web, since "-" comes before "@".
  const set = gatedDigestSet([
    { name: 'web', digest: digestOf('0') },
    { name: 'web-2', digest: digestOf('1') },
    { name: 'api', digest: digestOf('a') },
  ]);
  assert.equal(set, 'sha256:b074b562e2d8ece444d662a7b4ce8d09f78e080644cd0bb5e7a0c7166b9eaad2');
});

const component = fc.record({
  name: fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/),
  digest: fc.stringMatching(/^[0-9a-f]{64}$/).map((hex): Digest => `sha256:${hex}`),
});
const components = fc.uniqueArray(component, { selector: ({ name }) => name, minLength: 1, maxLength: 12 });

test('the order of the components does not matter', () => {
  const shuffled = components.chain((set) =>
    fc.shuffledSubarray(set, { minLength: set.length }).map((other) => ({ set, other })),
  );
  fc.assert(fc.property(shuffled, ({ set, other }) => gatedDigestSet(set) === gatedDigestSet(other)));
});

test('another digest or another name of any component gives another set', () => {
  const changed = fc.tuple(components, fc.nat(), component);
  fc.assert(
    fc.property(changed, ([set, at, { name, digest }]) => {
      const one = set[at % set.length];
      fc.pre(one !== undefined && one.digest !== digest && !set.some((other) => other.name === name));
      const others = set.filter((other) => other !== one);
      assert.notEqual(gatedDigestSet([...others, { ...one, digest }]), gatedDigestSet(set));
      assert.notEqual(gatedDigestSet([...others, { ...one, name }]), gatedDigestSet(set));
    }),
  );
});
