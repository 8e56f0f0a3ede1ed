import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, isId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import type { PasskeyRegistrations } from './passkeys.ts';

/** Maximum age of a sign-in that may change authentication methods. */
export const RECENT_SIGN_IN_MS = 900_000;

export const passkeyName = freeText(100);
const answer = Type.String({ minLength: 1, maxLength: 20_000 });

const PEOPLE = ['user'] as const;

/** Operations on a person's own passkeys. */
export const createPasskeys = (
  { operation, database, clock }: Deps,
  ring: PasskeyRegistrations,
  requireFirstParty: (caller: Who) => Promise<{ readonly authTime: Date }>,
) => {
  /** Refuses a sign-in that is too old to add or remove a passkey. */
  const refuseStale = async (caller: Who): Promise<void> => {
    const { authTime } = await requireFirstParty(caller);
    if (clock.now().getTime() - authTime.getTime() <= RECENT_SIGN_IN_MS) return;
    throw new Fault('PERM_ACTION_DENIED', 'Sign in again: passkeys are changed within 15 minutes of a sign-in.', {
      maxAgeSeconds: RECENT_SIGN_IN_MS / 1000,
    });
  };

  return {
    list: operation({
      name: 'passkey.list',
      kind: 'read',
      scope: [],
      input: Type.Object({}),
      run: async (caller, _input, query) =>
        caller.kind === 'user' && isId(caller.subject, 'User') ? ring.list(query, caller) : [],
    }),

    /** Starts a registration; reads only, since the state is in the ticket. */
    begin: operation({
      name: 'passkey.begin',
      cost: 0,
      kind: 'read',
      scope: [],
      callers: PEOPLE,
      input: Type.Object({ name: passkeyName }),
      raises: ['PERM_ACTION_DENIED', 'RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { name: 'Laptop' },
      isDetached: true,
      async run(caller, { name }) {
        await requireFirstParty(caller);
        const { options, ticket } = await database.read(caller.tenant, (query) => ring.begin(query, caller, name));
        return { options: JSON.stringify(options), ticket };
      },
    }),

    add: operation({
      name: 'passkey.add',
      cost: 0,
      kind: 'write',
      scope: [],
      callers: PEOPLE,
      input: Type.Object({ ticket: answer, response: answer }),
      raises: ['PERM_ACTION_DENIED', 'RES_CONFLICT', 'RES_ALREADY_EXISTS'],
      example: { ticket: 'ticket', response: '{}' },
      async prepare(caller, { ticket, response }) {
        await refuseStale(caller);
        return ring.check(caller, response, ticket);
      },
      run: (caller, _input, tx, checked) => ring.save(tx, caller, checked),
    }),

    remove: operation({
      name: 'passkey.remove',
      cost: 0,
      kind: 'write',
      scope: [],
      callers: PEOPLE,
      input: Type.Object({ id: idOf('Passkey') }),
      raises: ['PERM_ACTION_DENIED', 'RES_NOT_FOUND', 'RES_CONFLICT'],
      example: { id: exampleId('Passkey') },
      // A passkey of another person is reported as missing before any other refusal.
      prepare: async (caller) => ({
        refusal: await refuseStale(caller).then(
          () => undefined,
          (refusal: unknown) => refusal,
        ),
      }),
      async run(caller, { id }, tx, { refusal }) {
        const removed = await ring.remove(tx, caller, id);
        if (refusal !== undefined) throw refusal;
        return removed;
      },
    }),
  };
};
