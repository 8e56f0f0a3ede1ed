import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { expectedVersion, refuseStale } from '../shared/expected-version.ts';
import { NOTIFY_ADMIN, NOTIFY_READ } from '../shared/scopes.ts';
import { CHANNEL_TYPES } from '../templates/document.ts';
import {
  addressesOf,
  checkCredential,
  checkForPeople,
  type Given,
  givenOf,
  redirected,
  required,
  settingsOfTypes,
  type TypeSettings,
} from './channel-input.ts';
import * as store from './channels.store.ts';
import { refuseUnreachable } from './reachable-address.ts';
import { createSecret } from './webhook-secrets.ts';

const record = eventsOf('NotificationChannel');

/** Channels of a tenant, at most. */
const MOST_CHANNELS = 500;

/** Name under which a channel's credential is sealed. */
export const credentialPath = (id: store.ChannelId): string => `notify.channels/${id}`;

/** @throws Fault VAL_REQUIRED_FIELD if a saved credential would be sent to another address */
const refuseRedirected = async (
  tx: Tx,
  tenant: TenantId,
  known: store.Channel,
  config: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const field = redirected(known, config);
  if (field !== undefined && (await store.hasCredential(tx, tenant, known.id)))
    throw invalid([required(field, 'must be entered again: it would be sent to another address')]);
};

/** Settings that an update gives; undefined where it gives none. @throws Fault VAL_* */
const givenFor = ({ type }: store.Channel, input: TypeSettings): Given | undefined => {
  if (!CHANNEL_TYPES.some((each) => input[each] !== undefined)) return undefined;
  const given = givenOf(input);
  if (given.type === type) return given;
  const message = `has no place in a channel of type ${type}`;
  throw invalid([{ field: given.type, message, code: 'VAL_INVALID_VALUE' }]);
};

const dataOf = ({ name, type, isEnabled, forPeople }: store.Channel) => ({ name, type, isEnabled, forPeople });

/** Whether people may have addresses of their own on it. */
const forPeopleField = Type.Optional(Type.Boolean());

const alreadyExists = (name: string): Fault =>
  new Fault('RES_ALREADY_EXISTS', `There is a notification channel ${name} already.`, { name });

/** Creates the operations on channels. */
export const createChannels = ({
  operation,
  ids,
  clock,
  secrets,
  http,
}: Pick<Deps, 'operation' | 'ids' | 'clock' | 'secrets' | 'http'>) => {
  const seal = (tenant: TenantId, id: store.ChannelId, { credential }: Given) =>
    credential === undefined ? null : secrets.seal(tenant, credentialPath(id), JSON.stringify(credential));

  return {
    list: operation({
      name: 'notificationChannel.list',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({}),
      run: ({ tenant }, _input, query) => store.list(query, tenant),
    }),

    get: operation({
      name: 'notificationChannel.get',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({ id: idOf('NotificationChannel') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('NotificationChannel') },
      run: ({ tenant }, { id }, query) => store.get(query, tenant, id),
    }),

    /** Channels of some ids, for loaders. */
    listOfIds: operation({
      name: 'notificationChannel.listOfIds',
      kind: 'read',
      scope: NOTIFY_READ,
      input: Type.Object({ ids: Type.Array(idOf('NotificationChannel'), { maxItems: 1_000 }) }),
      example: { ids: [exampleId('NotificationChannel')] },
      run: ({ tenant }, { ids: wanted }, query) => store.listByIds(query, tenant, wanted),
    }),

    /** Creates a channel; a webhook's secret is in the answer and is never shown again. */
    create: operation({
      name: 'notificationChannel.create',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({ name: freeText(100), forPeople: forPeopleField, ...settingsOfTypes }),
      raises: ['RES_ALREADY_EXISTS', 'RES_CONFLICT'],
      example: { name: 'releases', webhook: { config: { url: 'https://hooks.example/releases' } } },
      async run(who, { name, forPeople = false, ...input }, tx) {
        const given = givenOf(input);
        checkCredential(given);
        refuseUnreachable(http, who.tenant, addressesOf(given));
        if (forPeople) checkForPeople(given);
        const known = await store.list(tx, who.tenant);
        if (known.some((channel) => channel.name === name)) throw alreadyExists(name);
        if (known.length >= MOST_CHANNELS)
          throw new Fault('RES_CONFLICT', `There are ${MOST_CHANNELS} channels already. Remove one first.`);
        const id = toId(ids.uuid(), 'NotificationChannel');
        const channel = await store.insertIfAbsent(tx, who.tenant, {
          id,
          name,
          type: given.type,
          config: given.config ?? {},
          forPeople,
          credential: seal(who.tenant, id, given),
          createdBy: who.subject,
        });
        if (!channel) throw alreadyExists(name);
        const created =
          given.type === 'webhook'
            ? await createSecret({ ids, secrets }, tx, who.tenant, { channelId: id, activeAt: clock.now() })
            : undefined;
        await record(tx, who, 'notificationChannel.create', channel, dataOf(channel));
        return { channel, secret: created?.secret ?? null };
      },
    }),

    /** Changes name, settings or credential; a type stays. */
    update: operation({
      name: 'notificationChannel.update',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({
        id: idOf('NotificationChannel'),
        expectedVersion,
        name: Type.Optional(freeText(100)),
        forPeople: forPeopleField,
        ...settingsOfTypes,
      }),
      raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS', 'RES_VERSION_CONFLICT'],
      example: { id: exampleId('NotificationChannel'), name: 'releases' },
      async run(who, { id, expectedVersion: expected, name, forPeople, ...input }, tx) {
        const known = await store.getLocked(tx, who.tenant, id);
        refuseStale(`channel ${known.name}`, known, expected);
        if (name !== undefined && name !== known.name && (await store.findByName(tx, who.tenant, name)))
          throw alreadyExists(name);
        const given = givenFor(known, input);
        if (given) refuseUnreachable(http, who.tenant, addressesOf(given));
        const config = given?.config ?? known.config;
        if (given?.credential !== undefined) checkCredential({ ...given, config });
        if (given?.credential === undefined) await refuseRedirected(tx, who.tenant, known, config);
        if (forPeople ?? known.forPeople) checkForPeople({ ...known, config });
        const channel = await store.update(tx, who.tenant, id, {
          updatedAt: sql`kernel.now()`,
          ...(forPeople !== undefined && { forPeople }),
          ...(name !== undefined && { name }),
          config,
          ...(given?.credential !== undefined && { credential: seal(who.tenant, id, given) }),
        });
        await record(tx, who, 'notificationChannel.update', channel, dataOf(channel));
        return channel;
      },
    }),

    /** Enables a channel, which also closes its circuit breaker, or disables it: its deliveries become dead letters. */
    setEnabled: operation({
      name: 'notificationChannel.setEnabled',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({
        id: idOf('NotificationChannel'),
        isEnabled: Type.Boolean(),
        reason: Type.Optional(freeText(500)),
      }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('NotificationChannel'), isEnabled: false, reason: 'moved to another team' },
      async run(who, { id, isEnabled, reason }, tx) {
        await store.getLocked(tx, who.tenant, id);
        const channel = await store.update(tx, who.tenant, id, {
          isEnabled,
          disabledReason: isEnabled ? null : (reason ?? `Disabled by ${who.subject}.`),
          failures: 0,
          openUntil: null,
          failingSince: null,
          updatedAt: sql`kernel.now()`,
        });
        await record(tx, who, isEnabled ? 'notificationChannel.enable' : 'notificationChannel.disable', channel, {
          ...dataOf(channel),
          ...(reason !== undefined && { reason }),
        });
        return channel;
      },
    }),

    remove: operation({
      name: 'notificationChannel.remove',
      kind: 'write',
      scope: NOTIFY_ADMIN,
      input: Type.Object({ id: idOf('NotificationChannel') }),
      raises: ['RES_NOT_FOUND'],
      example: { id: exampleId('NotificationChannel') },
      async run(who, { id }, tx) {
        await store.getLocked(tx, who.tenant, id);
        const channel = await store.update(tx, who.tenant, id, { removedAt: sql`kernel.now()`, credential: null });
        await record(tx, who, 'notificationChannel.remove', channel, dataOf(channel));
        return channel;
      },
    }),
  };
};

export type Channels = ReturnType<typeof createChannels>;
