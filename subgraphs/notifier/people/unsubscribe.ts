import { createHmac } from 'node:crypto';
import { systemCaller } from '@landfall/kernel/core/caller';
import { isId, isTenantId, type TenantId } from '@landfall/kernel/core/ids';
import { parseJson } from '@landfall/kernel/core/json';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import type { Query } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import * as store from './contact-methods.store.ts';
import * as people from './people.store.ts';

const record = eventsOf('ContactMethod');

/** Path of the links, whose token is a parameter. */
const UNSUBSCRIBE_PATH = '/api/v1/notify/unsubscribe';

/** Longest token that is looked at, in characters. */
const MOST_CHARACTERS = 1_000;

/** Right of a link: to end messages of a kind at an address. */
interface Grant {
  readonly tenant: TenantId;
  readonly methodId: store.ContactMethodId;
  readonly kind: string;
}

/** Subscription that a link ends, as its page shows it. */
interface Subscription {
  readonly address: string;
  readonly kind: string;
  readonly locale: string;
  readonly isMuted: boolean;
}

const grantOf = (text: string): Grant | undefined => {
  const value = parseJson(text);
  if (!Array.isArray(value)) return undefined;
  const [tenant, methodId, kind]: unknown[] = value;
  if (typeof tenant !== 'string' || typeof methodId !== 'string' || typeof kind !== 'string') return undefined;
  return isTenantId(tenant) && isId(methodId, 'ContactMethod') ? { tenant, methodId, kind } : undefined;
};

interface UnsubscribeDeps extends Pick<Deps, 'database' | 'secrets' | 'ids'> {
  /** Public address of the console. */
  readonly baseUrl: string;
}

/**
 * Creates the links by which people end mails of a kind without signing in (RFC 8058). A link is signed, has no end, since
 * people read old mail, and can do nothing else.
 */
export const createUnsubscribe = ({ database, secrets, ids, baseUrl }: UnsubscribeDeps) => {
  const sign = (key: Buffer, payload: string): string => createHmac('sha256', key).update(payload).digest('base64url');
  const keys = (): readonly Buffer[] => secrets.deriveAll('notify.unsubscribe');

  const read = (token: string): Grant | undefined => {
    const [payload = '', signature = ''] = token.length > MOST_CHARACTERS ? [] : token.split('.');
    const isSigned = keys().filter((key) => constantTimeEqual(sign(key, payload), signature)).length > 0;
    return isSigned ? grantOf(Buffer.from(payload, 'base64url').toString('utf8')) : undefined;
  };

  const subscriptionOf = async (
    query: Query,
    { address, subject, mutedKinds }: store.ContactMethod,
    { tenant, kind }: Grant,
  ): Promise<Subscription> => {
    const person = await people.find(query, tenant, subject);
    return { address, kind, locale: person?.locale ?? 'en', isMuted: mutedKinds.includes(kind) };
  };

  return {
    /** Address of the page that ends messages of a kind at an address. */
    linkOf({ tenant, methodId, kind }: Grant): string {
      const payload = Buffer.from(JSON.stringify([tenant, methodId, kind])).toString('base64url');
      const [key] = keys();
      if (!key) throw new TypeError('there is no root key');
      return `${baseUrl}${UNSUBSCRIBE_PATH}?token=${payload}.${sign(key, payload)}`;
    },

    /** Subscription of a link; undefined for one that is not ours, and where the address was removed. */
    async find(token: string): Promise<Subscription | undefined> {
      const grant = read(token);
      if (!grant) return undefined;
      return database.read(grant.tenant, async (query) => {
        const method = await store.find(query, grant.tenant, grant.methodId);
        return method && subscriptionOf(query, method, grant);
      });
    },

    /** Ends the subscription of a link; a second time changes nothing. */
    async end(token: string): Promise<Subscription | undefined> {
      const grant = read(token);
      if (!grant) return undefined;
      const { tenant, methodId, kind } = grant;
      return database.write(tenant, async (tx) => {
        const method = await store.findLocked(tx, tenant, methodId);
        if (!method) return undefined;
        if (!method.mutedKinds.includes(kind)) {
          const mutedKinds = [...method.mutedKinds, kind];
          const muted = await store.update(tx, tenant, methodId, { mutedKinds });
          const who = { ...systemCaller(tenant, 'notifier.unsubscribe', ids.uuid()), subject: method.subject };
          await record(tx, who, 'contactMethod.mute', muted, { kind });
        }
        return subscriptionOf(tx, method, grant);
      });
    },
  };
};

export type Unsubscribe = ReturnType<typeof createUnsubscribe>;
