import type { Who } from '@landfall/kernel/caller';
import type { Query } from '@landfall/kernel/db/query';
import { Fault } from '@landfall/kernel/fault';
import { exampleId, idOf, isId } from '@landfall/kernel/ids';
import { words } from '@landfall/kernel/input';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { findByAccessToken } from '../tokens/families.store.ts';
import type { PasskeyRing } from './passkeys.ts';

/** How old a sign-in may be that changes how somebody signs in. */
export const FRESH_MS = 900_000;

export const passkeyName = words(100);
const answer = Type.String({ minLength: 1, maxLength: 20_000 });

const PEOPLE = ['user'] as const;

/** A person's own passkeys in the graph. */
export const createPasskeys = ({ operation, database, clock }: Deps, ring: PasskeyRing) => {
  /** Whoever holds a token that is merely alive makes no lasting way in of it. */
  const refuseStale = async (query: Query, { tenant, tokenId }: Who): Promise<void> => {
    const signIn =
      tokenId !== undefined && isId(tokenId, 'Token') ? await findByAccessToken(query, tenant, tokenId) : undefined;
    if (signIn && clock.now().getTime() - signIn.authTime.getTime() <= FRESH_MS) return;
    throw new Fault('PERM_ACTION_DENIED', 'Sign in again: a passkey is added within 15 minutes of a sign-in.', {
      maxAgeSeconds: FRESH_MS / 1000,
    });
  };

  return {
    list: operation({
      name: 'passkey.list',
      kind: 'read',
      scope: [],
      input: Type.Object({}),
      raises: [],
      example: {},
      run: async (who, _input, query) =>
        who.kind === 'user' && isId(who.subject, 'User') ? ring.list(query, who) : [],
    }),

    /** Reads only: the registration is in its ticket. */
    begin: operation({
      name: 'passkey.begin',
      kind: 'read',
      scope: [],
      callers: PEOPLE,
      input: Type.Object({ name: passkeyName }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { name: 'Laptop' },
      async run(who, { name }, query) {
        const { options, ticket } = await ring.begin(query, who, name);
        return { options: JSON.stringify(options), ticket };
      },
    }),

    add: operation({
      name: 'passkey.add',
      kind: 'write',
      scope: [],
      callers: PEOPLE,
      input: Type.Object({ ticket: answer, response: answer }),
      raises: ['PERM_ACTION_DENIED', 'RES_CONFLICT', 'RES_ALREADY_EXISTS'],
      example: { ticket: 'ticket', response: '{}' },
      async prepare(who, { ticket, response }) {
        await database.read(who.tenant, (query) => refuseStale(query, who));
        return ring.check(who, response, ticket);
      },
      run: (who, _input, tx, checked) => ring.keep(tx, who, checked),
    }),

    remove: operation({
      name: 'passkey.remove',
      kind: 'write',
      scope: [],
      callers: PEOPLE,
      input: Type.Object({ id: idOf('Passkey') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('Passkey') },
      run: (who, { id }, tx) => ring.remove(tx, who, id),
    }),
  };
};

export type Passkeys = ReturnType<typeof createPasskeys>;
