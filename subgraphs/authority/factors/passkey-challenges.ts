import { randomBytes } from 'node:crypto';
import type { Clock } from '@landfall/kernel/core/clock';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import { parser } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

/** Sealing context without a tenant: tickets are read before the tenant is known. */
const SEALED_FOR = 'authority/passkey-ticket';
/** Lifetime of a ceremony: WebAuthn 3, 5.1.2 recommends 5 to 10 minutes. */
const ALIVE_MS = 600_000;
const CHALLENGE_BYTES = 32;

const content = Type.Object({
  challenge: Type.String(),
  expiresAt: Type.Integer(),
  /** Person and passkey name of a registration; absent for a sign-in. */
  registers: Type.Optional(Type.Object({ tenant: Type.String(), userId: Type.String(), name: Type.String() })),
});

export type PasskeyTicket = Static<typeof content>;
/** Seals challenges into tickets that travel with the page, so that showing a page writes nothing. */
export const createPasskeyTickets = ({
  clock,
  secrets,
}: {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
}) => {
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
    issue(registers?: PasskeyTicket['registers']) {
      const challenge = randomBytes(CHALLENGE_BYTES);
      const ticket: PasskeyTicket = {
        challenge: challenge.toString('base64url'),
        expiresAt: clock.now().getTime() + ALIVE_MS,
        ...(registers && { registers }),
      };
      return { challenge, ticket: secrets.seal('authority', SEALED_FOR, JSON.stringify(ticket)).toString('base64url') };
    },
    /** Opens a ticket; undefined when it is forged or expired. */
    open(ticket: string) {
      const found = unsealed(ticket);
      return found && found.expiresAt > clock.now().getTime() ? found : undefined;
    },
  };
};
