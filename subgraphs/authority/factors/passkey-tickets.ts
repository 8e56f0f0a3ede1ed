import { randomBytes } from 'node:crypto';
import type { Clock } from '@landfall/kernel/core/clock';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import { parser } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

/** Read before a tenant is known, so no tenant seals them. */
const SEALED_FOR = 'authority/passkey-ticket';
/** WebAuthn 3, 5.1.2 recommends 5 to 10 minutes for a ceremony in which a person is asked to verify. */
const ALIVE_MS = 600_000;
const CHALLENGE_BYTES = 32;

const content = Type.Object({
  challenge: Type.String(),
  expiresAt: Type.Integer(),
  /** Who registers, and what they call it; absent from the request of a sign-in. */
  registers: Type.Optional(Type.Object({ tenant: Type.String(), userId: Type.String(), name: Type.String() })),
});

export type PasskeyTicket = Static<typeof content>;
export type Registers = NonNullable<PasskeyTicket['registers']>;

export interface PasskeyTickets {
  issue(registers?: Registers): { readonly challenge: Buffer; readonly ticket: string };
  /** Nothing when it is not ours, altered or too old. */
  open(ticket: string): PasskeyTicket | undefined;
}

/** A challenge travels with its page, sealed: a page that anybody may open writes nothing to the database. */
export const createPasskeyTickets = ({
  clock,
  secrets,
}: {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
}): PasskeyTickets => {
  const read = parser(content);
  const unsealed = (ticket: string): PasskeyTicket | undefined => {
    try {
      const bytes = secrets.open('authority', SEALED_FOR, Buffer.from(ticket, 'base64url'));
      return read(JSON.parse(bytes.toString()));
    } catch {
      return undefined;
    }
  };

  return {
    issue(registers) {
      const challenge = randomBytes(CHALLENGE_BYTES);
      const said: PasskeyTicket = {
        challenge: challenge.toString('base64url'),
        expiresAt: clock.now().getTime() + ALIVE_MS,
        ...(registers && { registers }),
      };
      return { challenge, ticket: secrets.seal('authority', SEALED_FOR, JSON.stringify(said)).toString('base64url') };
    },
    open(ticket) {
      const found = unsealed(ticket);
      return found && found.expiresAt > clock.now().getTime() ? found : undefined;
    },
  };
};
