import { createHmac, randomInt } from 'node:crypto';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { constantTimeEqual, type Secrets } from '@landfall/kernel/crypto/secrets';
import type { Deps } from '@landfall/kernel/module';
import type { OpenChannel } from '../channels/open-channels.ts';
import type { NotificationEvent } from '../events/event.ts';
import { compileTemplate } from '../templates/compile.ts';
import { createContext } from '../templates/context.ts';
import { SHIPPED_TEMPLATES } from '../templates/messages/shipped.ts';
import { type RenderedMessage, renderTemplate } from '../templates/render.ts';
import { resolveTemplate } from '../templates/resolve.ts';

const KEY = 'contact.code';
/** Lifetime of a code in minutes, and the attempts at it. */
const CODE_MINUTES = 15;
export const MOST_ATTEMPTS = 5;

/** Address that a code is sent to. */
interface Recipient {
  readonly methodId: string;
  readonly address: string;
  readonly locale: string;
}

/** Message with a code, in the recipient's language. It is shipped only: a template of a tenant cannot read codes. */
const messageOf = (event: NotificationEvent, { type, tenant }: OpenChannel, locale: string): RenderedMessage => {
  const wanted = { tenantId: tenant, key: KEY, channelType: type, locale };
  const document = resolveTemplate(SHIPPED_TEMPLATES, wanted);
  if (!document) throw new TypeError(`no ${KEY} for ${type}`);
  const template = compileTemplate(document);
  const facts = { reason: 'first', links: {}, tenant: { id: tenant, name: tenant } } as const;
  return renderTemplate(template, createContext({ ...facts, event, template }));
};

/** Creates the codes that prove that an address is its owner's. */
export const createContactCodes = ({ secrets, clock, ids }: Pick<Deps, 'secrets' | 'clock' | 'ids'>) => {
  const hashBy = (key: Buffer, methodId: string, code: string): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([methodId, code]))
      .digest();
  const keys: (secrets: Secrets) => readonly Buffer[] = (from) => from.deriveAll('notify.contact-code');

  return {
    /**
     * Sends a new code to an address by its carrier.
     * @returns the code's keyed hash and its end
     * @throws Fault INT_CONNECTION_FAILED, VAL_INVALID_VALUE
     */
    async send(who: Who, carrier: OpenChannel, { methodId, address, locale }: Recipient) {
      const code = String(randomInt(0, 1_000_000)).padStart(6, '0');
      const now = clock.now();
      const eventId = ids.uuid();
      const { correlationId } = who;
      const message = messageOf(
        {
          eventId,
          producer: 'platform',
          kind: KEY,
          at: now,
          actor: null,
          severity: 'info',
          status: 'firing',
          attributes: {},
          payload: { code, minutes: CODE_MINUTES },
          correlationId,
        },
        carrier,
        locale,
      );
      const { subject = null, text: textPart = null, body, contentType } = message;
      const outcome = await carrier.send({
        deliveryId: eventId,
        attempt: 1,
        address,
        unsubscribeUrl: null,
        updates: null,
        subject,
        body,
        textPart,
        contentType,
        correlationId,
        signal: new AbortController().signal,
      });
      if (outcome.kind === 'failed' && outcome.isRetryable && outcome.cause !== 'egress_refused')
        throw new Fault('INT_CONNECTION_FAILED', `The code was not sent. ${outcome.error} Try again later.`);
      if (outcome.kind === 'failed')
        throw invalid([
          { field: 'address', message: `did not take the code. ${outcome.error}`, code: 'VAL_INVALID_VALUE' },
        ]);
      const [current] = keys(secrets);
      if (!current) throw new TypeError('there is no root key');
      return {
        codeHash: hashBy(current, methodId, code),
        codeExpiresAt: new Date(now.getTime() + CODE_MINUTES * 60_000),
      };
    },

    /** Whether a code is the one of a hash, in a time that says nothing of it. */
    isRight: (methodId: string, code: string, codeHash: Uint8Array | null): boolean =>
      codeHash !== null &&
      keys(secrets).filter((key) => constantTimeEqual(hashBy(key, methodId, code), codeHash)).length > 0,
  };
};

export type ContactCodes = ReturnType<typeof createContactCodes>;
