import { event } from '@landfall/kernel/events/write';
import { Fault } from '@landfall/kernel/fault';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import type { Keys } from './keys.ts';

/** A key of the ring in the graph's words. */
export interface SigningKeyView {
  /** The kid: the key's RFC 7638 thumbprint. */
  readonly id: string;
  readonly state: 'next' | 'current' | 'retired';
  readonly algorithm: string;
  readonly since: Date;
}

/**
 * Verifiers everywhere must have had the time to read the next key before it signs. The ring is every tenant's, and any
 * tenant's administrator may turn it: this is also what keeps the ring, which all of them read, short.
 */
const SHORTEST_MS = 3_600_000;

const rotateInput = Type.Object({ expectedCurrent: Type.String({ pattern: '^[\\w-]{43}$' }) });

/** A rotation that took place, for its event. */
interface Rotated {
  readonly next: string | undefined;
  readonly ring: readonly SigningKeyView[];
}

const rotatedAlready = (): Fault => new Fault('RES_VERSION_CONFLICT', 'Another key signs by now. Look again.');

const ADMIN = ['authority:admin'];

/** What an administrator sees of the key ring, and does with it. */
export const createSigningKeys = (
  { operation, clock }: Pick<Deps, 'operation' | 'clock'>,
  { keys }: { readonly keys: Pick<Keys, 'list' | 'rotate'> },
) => {
  const list = async (): Promise<readonly SigningKeyView[]> =>
    (await keys.list()).map(({ kid, state, since }) => ({ id: kid, state, algorithm: 'ES256', since }));

  return {
    list: operation({
      name: 'signingKey.list',
      kind: 'read',
      scope: ADMIN,
      input: Type.Object({}),
      raises: [],
      example: {},
      isDetached: true,
      run: () => list(),
    }),

    rotate: operation({
      name: 'signingKey.rotate',
      kind: 'write',
      scope: ADMIN,
      input: rotateInput,
      raises: ['RES_CONFLICT', 'RES_VERSION_CONFLICT'],
      example: { expectedCurrent: 'A'.repeat(43) },
      // The ring is above tenants and has a transaction of its own, which ends before the event's begins.
      async prepare(_who, { expectedCurrent }): Promise<Rotated> {
        const known = await list();
        if (known.find(({ state }) => state === 'current')?.id !== expectedCurrent) throw rotatedAlready();
        const next = known.find(({ state }) => state === 'next');
        const ageMs = clock.now().getTime() - (next?.since.getTime() ?? clock.now().getTime());
        if (ageMs < SHORTEST_MS)
          throw new Fault(
            'RES_CONFLICT',
            'The next key was published less than an hour ago; verifiers may not have it.',
            {
              state: 'next_too_young',
              waitMs: SHORTEST_MS - ageMs,
            },
          );
        if (!(await keys.rotate(expectedCurrent))) throw rotatedAlready();
        return { next: next?.id, ring: await list() };
      },
      async run(who, { expectedCurrent }, tx, { next, ring }) {
        await event(tx, who, 'signingKey.rotate', {
          entity: 'SigningKey',
          id: expectedCurrent,
          version: 1,
          data: { next },
        });
        return ring;
      },
    }),
  };
};

export type SigningKeys = ReturnType<typeof createSigningKeys>;
