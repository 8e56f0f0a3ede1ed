import { Fault } from '@landfall/kernel/core/fault';
import type { Tx } from '@landfall/kernel/db/query';
import { eventsOf, notice } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { patterned } from '@landfall/kernel/operation/input';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import type { Keys } from './keys.ts';

/** Minimum age of the next key before it signs, so that verifiers have read it. */
const SHORTEST_MS = 3_600_000;

const rotateInput = Type.Object({
  expectedCurrent: patterned('^[\\w-]{43}$', 'must be the id of a key: 43 letters, digits, hyphens and underscores'),
});

const rotatedAlready = (): Fault =>
  new Fault('RES_VERSION_CONFLICT', 'The signing key has changed since you read it. Load it again.');

const keyEvent = eventsOf('SigningKey');

const ADMIN = ['authority:admin'];

/** Key of the ring as the graph shows it; its id is the RFC 7638 thumbprint. */
const viewOf = ({ kid, ...key }: Awaited<ReturnType<Keys['list']>>[number]) => ({
  ...key,
  id: kid,
  algorithm: 'ES256',
});

export type SigningKeyView = ReturnType<typeof viewOf>;

/** Operations on the key ring, for administrators. */
export const createSigningKeys = (
  { operation, clock }: Pick<Deps, 'operation' | 'clock'>,
  { keys }: { readonly keys: Pick<Keys, 'list' | 'rotate'> },
) => {
  const list = async () => (await keys.list()).map(viewOf);

  return {
    list: operation({
      name: 'signingKey.list',
      cost: 0,
      kind: 'read',
      scope: ADMIN,
      input: Type.Object({}),
      isDetached: true,
      run: () => list(),
    }),

    rotate: operation({
      name: 'signingKey.rotate',
      cost: 0,
      kind: 'write',
      scope: ADMIN,
      input: rotateInput,
      raises: ['RES_CONFLICT', 'RES_VERSION_CONFLICT'],
      example: { expectedCurrent: 'A'.repeat(43) },
      // The ring belongs to no tenant: a transaction of its own role rotates it and writes the event, and ends before
      // run's transaction begins.
      async prepare(caller, { expectedCurrent }) {
        const known = await list();
        if (known.find(({ state }) => state === 'current')?.id !== expectedCurrent) throw rotatedAlready();
        const next = known.find(({ state }) => state === 'next');
        const ageMs = clock.now().getTime() - (next?.since.getTime() ?? clock.now().getTime());
        if (ageMs < SHORTEST_MS)
          throw new Fault(
            'RES_CONFLICT',
            'The next key was published less than an hour ago; verifiers may not have it.',
            { state: 'next_too_young', waitMs: SHORTEST_MS - ageMs },
          );
        const writeEvent = (tx: Tx): Promise<void> =>
          keyEvent(tx, caller, 'signingKey.rotate', { id: expectedCurrent }, { next: next?.id });
        if (!(await keys.rotate(expectedCurrent, writeEvent))) throw rotatedAlready();
        await failpoint('authority.keys.rotated');
        return list();
      },
      async run(caller, _input, tx, ring) {
        // Announces the key that signs from now on to subscribers; the audit trail has the event already.
        const current = ring.find(({ state }) => state === 'current');
        if (current)
          await notice(tx, caller, 'signingKey.rotate', { entity: 'SigningKey', id: current.id, version: 1 });
        return ring;
      },
    }),
  };
};
