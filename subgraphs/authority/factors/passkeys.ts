import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { isId, toId } from '@landfall/kernel/core/ids';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { auditActor } from '../protocol/protocol-request.ts';
import * as users from '../users/users.ts';
import { createPasskeyTickets, type PasskeyTicket } from './passkey-challenges.ts';
import * as store from './passkeys.store.ts';
import type { RelyingParty } from './relying-party.ts';
import { creationOptions, credentialIdIn, requestOptions, verifyCreation, verifyRequest } from './webauthn.ts';

export const { pruneChallenges } = store;
export type { Passkey } from './passkeys.store.ts';

/** Options for `navigator.credentials` and the ticket that returns with the response. */
export interface Ceremony {
  /** PublicKeyCredentialRequestOptionsJSON or PublicKeyCredentialCreationOptionsJSON (WebAuthn 3, 5.1). */
  readonly options: object;
  readonly ticket: string;
}

const MAX = 20;

const corrupted = (): Fault =>
  invalid([
    {
      field: 'response',
      message: 'The registration is not one that was begun here a moment ago. Begin again.',
      code: 'VAL_INVALID_VALUE',
    },
  ]);

/** Verified registration; `save` writes it. */
interface CheckedPasskey {
  readonly ticket: PasskeyTicket;
  readonly passkey: store.NewPasskey;
}

const userIdOf = ({ subject }: Who): users.UserId => {
  if (!isId(subject, 'User')) throw new Fault('RES_NOT_FOUND', 'Only people have passkeys.');
  return subject;
};

const hashOf = ({ challenge }: PasskeyTicket): Buffer => sha256Bytes(challenge);

const writeEvent = eventsOf('Passkey');

const passkeyEvent = (
  tx: Tx,
  caller: Who,
  verb: string,
  { id, name }: Pick<store.Passkey, 'id' | 'name'>,
): Promise<void> => writeEvent(tx, caller, `passkey.${verb}`, { id }, { name, userId: caller.subject });

const found = (passkey: store.Passkey | undefined, id: string): store.Passkey => {
  if (!passkey) throw new Fault('RES_NOT_FOUND', `There is no passkey ${id}.`);
  return passkey;
};

/** @throws Fault RES_CONFLICT when nothing is left by which this person can sign in */
const refuseLast = async (tx: Tx, caller: Who): Promise<void> => {
  const [remaining] = await users.listSignInMethods(tx, caller.tenant, [userIdOf(caller)]);
  if (remaining && (remaining.password || remaining.passkeys > 0 || remaining.identityProviders.length > 0)) return;
  throw new Fault(
    'RES_CONFLICT',
    'This passkey is your only way to sign in. Add another one first, or ask for a link to choose a password.',
    { state: 'last_way_in' },
  );
};

type Ports = Pick<Deps, 'database' | 'clock' | 'ids' | 'secrets'>;

/** Passkeys of one person, for the account pages and the graph. */
export const createPasskeyRegistrations = ({ clock, ids, secrets }: Ports, relyingParty: RelyingParty) => {
  const tickets = createPasskeyTickets({ clock, secrets });

  const refuseUnavailable = (): void => {
    if (relyingParty.unavailableReason !== undefined) throw new Fault('RES_CONFLICT', relyingParty.unavailableReason);
  };
  const refuseMore = (known: readonly unknown[]): void => {
    if (known.length >= MAX) throw new Fault('RES_CONFLICT', `A person has ${MAX} passkeys at most. Remove one first.`);
  };

  return {
    list: (query: Query, caller: Who) => store.list(query, caller.tenant, userIdOf(caller)),

    /** @throws Fault RES_CONFLICT where no passkey can work, or the person has too many */
    async begin(query: Query, caller: Who, name: string): Promise<Ceremony> {
      refuseUnavailable();
      const user = await users.find(query, caller.tenant, userIdOf(caller));
      if (!user) throw new Fault('RES_NOT_FOUND', 'Only people have passkeys.');
      const known = await store.list(query, caller.tenant, user.id);
      refuseMore(known);
      const { challenge, ticket } = tickets.issue({ tenant: caller.tenant, userId: user.id, name });
      return { options: await creationOptions(relyingParty, { ...user, userId: user.id, known }, challenge), ticket };
    },

    /** Verifies a response; writes nothing. */
    async check(caller: Who, response: string, sealed: string): Promise<CheckedPasskey> {
      refuseUnavailable();
      const ticket = tickets.open(sealed);
      const registers = ticket?.registers;
      if (!ticket || !registers || registers.tenant !== caller.tenant || registers.userId !== caller.subject)
        throw corrupted();
      const created = await verifyCreation(relyingParty, response, ticket.challenge);
      if (!created) throw corrupted();
      const passkey = { ...created, id: toId(ids.uuid(), 'Passkey'), userId: userIdOf(caller), name: registers.name };
      return { ticket, passkey };
    },

    /** @throws Fault VAL_INVALID_VALUE for a response that was saved before, RES_ALREADY_EXISTS, RES_CONFLICT */
    async save(tx: Tx, caller: Who, { ticket, passkey }: CheckedPasskey): Promise<store.Passkey> {
      if (!(await users.lockActive(tx, caller.tenant, passkey.userId)))
        throw new Fault('PERM_DENIED', 'The caller is not an active person.');
      if (!(await store.spendChallenge(tx, caller.tenant, hashOf(ticket), new Date(ticket.expiresAt))))
        throw corrupted();
      refuseMore(await store.list(tx, caller.tenant, passkey.userId));
      const saved = await onConflict(
        store.insert(tx, caller.tenant, passkey),
        'passkeys_credential',
        () => new Fault('RES_ALREADY_EXISTS', 'This passkey is registered already.'),
      );
      await passkeyEvent(tx, caller, 'add', saved);
      return saved;
    },

    /** @throws Fault RES_NOT_FOUND */
    async rename(tx: Tx, caller: Who, id: store.PasskeyId, name: string): Promise<store.Passkey> {
      const renamed = found(await store.rename(tx, caller.tenant, userIdOf(caller), { id, name }), id);
      await passkeyEvent(tx, caller, 'rename', renamed);
      return renamed;
    },

    /** @throws Fault RES_NOT_FOUND, and RES_CONFLICT for the person's only way to sign in */
    async remove(tx: Tx, caller: Who, id: store.PasskeyId): Promise<store.PasskeyId> {
      // The person is locked first, so that of two removals at once the second sees the result of the first.
      await users.findLocked(tx, caller.tenant, userIdOf(caller));
      const removed = found(await store.remove(tx, caller.tenant, userIdOf(caller), id), id);
      await refuseLast(tx, caller);
      await passkeyEvent(tx, caller, 'remove', removed);
      return id;
    },
  };
};

export type PasskeyRegistrations = ReturnType<typeof createPasskeyRegistrations>;

/** Passkeys at sign-in, before the person is known. */
export const createPasskeySignIn = ({ database, clock, secrets }: Ports, relyingParty: RelyingParty) => {
  const tickets = createPasskeyTickets({ clock, secrets });

  /** Records a use; false when the challenge was used, the person is inactive or the counter did not increase. */
  const write = (credential: store.Credential, ticket: PasskeyTicket, use: store.Use, requestId: string) =>
    database.write(credential.tenant, async (tx): Promise<boolean> => {
      const { tenant, id, userId } = credential;
      if (!(await users.lockActive(tx, tenant, userId))) return false;
      if (!(await store.spendChallenge(tx, tenant, hashOf(ticket), new Date(ticket.expiresAt)))) return false;
      if (await store.use(tx, tenant, id, use)) return true;
      const passkey = await store.find(tx, tenant, userId, id);
      // A counter that did not increase shows a copied passkey (WebAuthn 3, 6.1.1).
      if (passkey) await passkeyEvent(tx, auditActor(tenant, userId, 'user', { requestId }), 'cloned', passkey);
      return false;
    });

  return {
    /** Request options for any passkey; writes nothing, since the caller is unauthenticated. */
    async options(): Promise<Ceremony> {
      const { challenge, ticket } = tickets.issue();
      return { options: await requestOptions(relyingParty, challenge), ticket };
    },

    /**
     * Verifies the response to a request. Undefined for an unknown, malformed, replayed or cloned one and for a
     * deactivated person. A passkey is two factors, possession and user verification; `amr` by RFC 8176.
     * @param response AuthenticationResponseJSON (WebAuthn 3, 5.1.8.4), as text
     */
    async verify(response: string, sealed: string, requestId: string) {
      const ticket = tickets.open(sealed);
      const credentialId = credentialIdIn(response);
      if (relyingParty.unavailableReason !== undefined || !ticket || ticket.registers || credentialId === undefined)
        return undefined;
      const credential = await database.system.read((query) => store.findAnywhere(query, credentialId));
      const use = credential && (await verifyRequest(relyingParty, response, ticket.challenge, credential));
      if (!credential || !use || !(await write(credential, ticket, use, requestId))) return undefined;
      const { tenant, userId, isPortable } = credential;
      return { tenant, userId, amr: [isPortable ? 'swk' : 'hwk', 'user'] };
    },
  };
};
