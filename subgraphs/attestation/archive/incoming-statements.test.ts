import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chooseIncoming } from './incoming-statements.ts';

const MIB = 1_048_576;

test('what strangers attached never makes an archive larger than its bound, and all of it is told', () => {
  const statement = fc.record({ size: fc.integer({ min: 0, max: 16 * MIB }), isSigned: fc.boolean() });
  fc.assert(
    fc.property(fc.array(statement), (found) => {
      const { taken: occupiedPort, left: remaining } = chooseIncoming(found);
      const total = occupiedPort.reduce((sum, { size }) => sum + size, 0);
      assert.ok(total <= 32 * MIB);
      assert.deepEqual(new Set([...occupiedPort, ...remaining]), new Set(found));
      assert.equal(occupiedPort.length + remaining.length, found.length);
    }),
  );
});

test('a statement whose signature held goes before all others, and of the others only small ones go at all', () => {
  const unrelated = { size: 16 * MIB, isSigned: false };
  const signed = { size: 16 * MIB, isSigned: true };
  const small = { size: 1_000, isSigned: false };
  assert.deepEqual(chooseIncoming([unrelated, small, signed]), { taken: [signed, small], left: [unrelated] });
  assert.deepEqual(chooseIncoming([small, signed, signed]), { taken: [signed, signed], left: [small] });
});
