import type { Who } from '@landfall/kernel/core/caller';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, toId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { patterned } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { isChannelUrl, isMailAddress } from '../channels/channel-formats.ts';
import * as channels from '../channels/channels.store.ts';
import { channelKey, type createOpenChannels, type OpenChannel } from '../channels/open-channels.ts';
import { refuseUnreachable } from '../channels/reachable-address.ts';
import { PERSONAL } from '../shared/scopes.ts';
import { DEFAULT_LOCALE } from '../templates/locales.ts';
import { type ContactCodes, MOST_ATTEMPTS } from './contact-code.ts';
import * as store from './contact-methods.store.ts';
import * as people from './people.store.ts';

const record = eventsOf('ContactMethod');

/** Contact methods of a person, at most. */
const MOST_METHODS = 10;
/** Codes that are sent for a person in an hour, at most. */
const MOST_CODES = 5;
const CODES_WINDOW_SECONDS = 3_600;

const methodId = Type.Object({ id: idOf('ContactMethod') });

/** Characters of an address, at most: of a mailbox (RFC 5321 4.5.3.1), and of a webhook. */
const LONGEST_MAILBOX = 254;
const LONGEST_URL = 1_024;

interface AddressFormat {
  fits(address: string): boolean;
  readonly refusal: string;
}

const FORMATS: Readonly<Record<store.ContactKind, AddressFormat>> = {
  email: {
    fits: (text) => text.length <= LONGEST_MAILBOX && isMailAddress(text),
    refusal: `must be a mail address such as ana@example.com, of ${LONGEST_MAILBOX} characters at most`,
  },
  slack: {
    fits: (text) => /^[UW][A-Z0-9]{2,20}$/.test(text),
    refusal: "must be a person's id at Slack, such as U0123",
  },
  webhook: {
    // Printable ASCII, as requests have it: the index of addresses counts bytes.
    fits: (text) => text.length <= LONGEST_URL && /^[\x21-\x7e]+$/.test(text) && isChannelUrl(text),
    refusal: `must be an HTTPS address, of ${LONGEST_URL} characters at most`,
  },
};

/** @throws Fault VAL_INVALID_FORMAT */
const checkFormat = (kind: store.ContactKind, address: string): void => {
  const { fits, refusal } = FORMATS[kind];
  if (!fits(address)) throw invalid([{ field: 'address', message: refusal, code: 'VAL_INVALID_FORMAT' }]);
};

const isContactKind = (type: string): type is store.ContactKind => store.CONTACT_KINDS.some((kind) => kind === type);

const tooManyCodes = (): Fault =>
  new Fault('RES_CONFLICT', `${MOST_CODES} codes were sent within an hour. Wait until it is over.`);

interface ContactDeps extends Pick<Deps, 'operation' | 'database' | 'clock' | 'ids' | 'http'> {
  readonly openChannels: ReturnType<typeof createOpenChannels>;
  readonly codes: ContactCodes;
}

/** Creates the operations of people on the addresses at which they are told. */
export const createContactMethods = ({ operation, database, clock, ids, http, openChannels, codes }: ContactDeps) => {
  /** Channel that carries messages to people, opened. @throws Fault RES_NOT_FOUND, RES_CONFLICT */
  const openCarrier = async (
    query: Query,
    { tenant }: Who,
    channelId: channels.ChannelId,
  ): Promise<{ readonly carrier: OpenChannel; readonly kind: store.ContactKind }> => {
    const { name, forPeople, isEnabled, type } = await channels.get(query, tenant, channelId);
    if (!forPeople || !isContactKind(type))
      throw new Fault('RES_CONFLICT', `The channel ${name} is not for people. Choose one that is.`, { channelId });
    const carrier = (await openChannels(query, [{ tenant, channelId }])).get(channelKey(tenant, channelId));
    if (!isEnabled || !carrier)
      throw new Fault('RES_CONFLICT', `The channel ${name} is disabled. Choose another one.`, { channelId });
    return { carrier, kind: type };
  };

  /** Language of a person, unless too many codes were sent. @throws Fault RES_CONFLICT */
  const localeForCode = async (query: Query, { tenant, subject }: Who): Promise<string> => {
    const person = await people.find(query, tenant, subject);
    if (person && person.codesEndAt > clock.now() && person.codesSent >= MOST_CODES) throw tooManyCodes();
    return person?.locale ?? DEFAULT_LOCALE;
  };

  /** Counts a code that was sent. Another request may have been faster. @throws Fault RES_CONFLICT */
  const countCode = async (tx: Tx, { tenant, subject }: Who): Promise<void> => {
    const { codesSent } = await people.countCode(tx, tenant, subject, CODES_WINDOW_SECONDS);
    if (codesSent > MOST_CODES) throw tooManyCodes();
  };

  /** @throws Fault RES_ALREADY_EXISTS, RES_CONFLICT */
  const refuseAnother = async (
    query: Query,
    { tenant, subject }: Who,
    { channelId, address }: Pick<store.ContactMethod, 'channelId' | 'address'>,
  ): Promise<void> => {
    const known = await store.listOfPerson(query, tenant, subject);
    if (known.some((method) => method.channelId === channelId && method.address === address))
      throw new Fault('RES_ALREADY_EXISTS', `You have the contact method ${address} already.`, { address });
    if (known.length >= MOST_METHODS)
      throw new Fault('RES_CONFLICT', `You have ${MOST_METHODS} contact methods already. Remove one first.`);
  };

  const common = { scope: PERSONAL, callers: ['user'] } as const;

  return {
    list: operation({
      ...common,
      name: 'contactMethod.list',
      kind: 'read',
      input: Type.Object({}),
      run: ({ tenant, subject }, _input, query) => store.listOfPerson(query, tenant, subject),
    }),

    /** Channels that can carry messages to people. */
    listChannels: operation({
      ...common,
      name: 'contactMethod.listChannels',
      kind: 'read',
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => channels.listForPeople(query, tenant),
    }),

    /** Adds an address, and sends it a code that proves that it is the caller's. */
    add: operation({
      ...common,
      name: 'contactMethod.add',
      kind: 'write',
      input: Type.Object({
        channelId: idOf('NotificationChannel'),
        address: Type.String({ minLength: 3, maxLength: 2_048 }),
      }),
      raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS', 'RES_CONFLICT', 'INT_CONNECTION_FAILED', 'VAL_INVALID_VALUE'],
      example: { channelId: exampleId('NotificationChannel'), address: 'https://hooks.example/ana' },
      isRemote: true,
      cost: 100,
      async prepare(who, { channelId, address }) {
        const { carrier, kind, locale } = await database.read(who.tenant, async (query) => {
          const opened = await openCarrier(query, who, channelId);
          checkFormat(opened.kind, address);
          if (opened.kind === 'webhook')
            refuseUnreachable(http, who.tenant, [{ field: 'address', url: address, isPersonal: true }]);
          await refuseAnother(query, who, { channelId, address });
          return { ...opened, locale: await localeForCode(query, who) };
        });
        const id = toId(ids.uuid(), 'ContactMethod');
        return { id, kind, ...(await codes.send(who, carrier, { methodId: id, address, locale })) };
      },
      async run(who, { channelId, address }, tx, prepared) {
        await countCode(tx, who);
        await refuseAnother(tx, who, { channelId, address });
        const row = { ...prepared, subject: who.subject, channelId, address };
        const method = await store.insertIfAbsent(tx, who.tenant, row);
        if (!method) throw new Fault('RES_ALREADY_EXISTS', `You have the contact method ${address} already.`);
        await record(tx, who, 'contactMethod.add', method, { kind: method.kind, channelId });
        return method;
      },
    }),

    /** Sends a new code; the one before it ends. */
    resendCode: operation({
      ...common,
      name: 'contactMethod.resendCode',
      kind: 'write',
      input: methodId,
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT', 'INT_CONNECTION_FAILED', 'VAL_INVALID_VALUE'],
      example: { id: exampleId('ContactMethod') },
      isRemote: true,
      cost: 100,
      async prepare(who, { id }) {
        const { carrier, address, locale } = await database.read(who.tenant, async (query) => {
          const method = await store.getOfPerson(query, who.tenant, who.subject, id);
          if (method.verifiedAt !== null && method.suppressedReason === null)
            throw new Fault('RES_CONFLICT', `${method.address} is verified already.`, { id });
          const { carrier: opened } = await openCarrier(query, who, method.channelId);
          return { carrier: opened, address: method.address, locale: await localeForCode(query, who) };
        });
        return codes.send(who, carrier, { methodId: id, address, locale });
      },
      async run(who, { id }, tx, code) {
        await countCode(tx, who);
        await store.getOfPerson(tx, who.tenant, who.subject, id);
        const method = await store.update(tx, who.tenant, id, { ...code, codeAttempts: 0 });
        await record(tx, who, 'contactMethod.resendCode', method, { kind: method.kind });
        return method;
      },
    }),

    /** Verifies an address by its code, which also ends what suppressed it. */
    confirm: operation({
      ...common,
      name: 'contactMethod.confirm',
      kind: 'write',
      input: Type.Object({
        id: idOf('ContactMethod'),
        code: patterned('^[0-9]{6}$', 'must be the six digits of the message'),
      }),
      raises: ['RES_NOT_FOUND', 'RES_CONFLICT', 'VAL_INVALID_VALUE'],
      example: { id: exampleId('ContactMethod'), code: '000000' },
      cost: 0,
      async prepare(who, { id, code }) {
        // Counted in a transaction of its own, which a wrong code does not roll back.
        const claimed = await database.write(who.tenant, (tx) =>
          store.claimAttempt(tx, who.tenant, who.subject, id, MOST_ATTEMPTS),
        );
        if (claimed && codes.isRight(id, code, claimed.codeHash)) return;
        if (claimed) {
          const left = MOST_ATTEMPTS - claimed.codeAttempts;
          const message = `is not the code that was sent. ${left} more ${left === 1 ? 'attempt' : 'attempts'}.`;
          throw invalid([{ field: 'code', message, code: 'VAL_INVALID_VALUE' }]);
        }
        await database.read(who.tenant, (query) => store.getOfPerson(query, who.tenant, who.subject, id));
        throw new Fault('RES_CONFLICT', 'No code is in force for this contact method. Request a new one.', { id });
      },
      async run(who, { id }, tx) {
        await store.getOfPerson(tx, who.tenant, who.subject, id);
        const method = await store.update(tx, who.tenant, id, {
          codeHash: null,
          codeExpiresAt: null,
          suppressedReason: null,
          verifiedAt: sql`kernel.now()`,
        });
        await record(tx, who, 'contactMethod.confirm', method, { kind: method.kind });
        return method;
      },
    }),

    /** Replaces the kinds of events that do not go to an address. Critical ones go there all the same. */
    setMutedKinds: operation({
      ...common,
      name: 'contactMethod.setMutedKinds',
      kind: 'write',
      input: Type.Object({
        id: idOf('ContactMethod'),
        mutedKinds: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100, uniqueItems: true }),
      }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('ContactMethod'), mutedKinds: ['deployment.landed'] },
      async run(who, { id, mutedKinds }, tx) {
        await store.getOfPerson(tx, who.tenant, who.subject, id);
        const method = await store.update(tx, who.tenant, id, { mutedKinds });
        await record(tx, who, 'contactMethod.setMutedKinds', method, { mutedKinds });
        return method;
      },
    }),

    remove: operation({
      ...common,
      name: 'contactMethod.remove',
      kind: 'write',
      input: methodId,
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('ContactMethod') },
      async run(who, { id }, tx) {
        await store.getOfPerson(tx, who.tenant, who.subject, id);
        const method = await store.update(tx, who.tenant, id, {
          removedAt: sql`kernel.now()`,
          codeHash: null,
          codeExpiresAt: null,
        });
        await record(tx, who, 'contactMethod.remove', method, { kind: method.kind });
        return method;
      },
    }),
  };
};

export type ContactMethods = ReturnType<typeof createContactMethods>;
