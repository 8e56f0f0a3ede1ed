import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { freeText } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import { NOTIFY_ADMIN, NOTIFY_READ } from '../shared/scopes.ts';
import { CHANNEL_TYPES, type ChannelType } from '../templates/document.ts';
import * as shapes from './channel-config.ts';
import './channel-formats.ts';
import * as store from './channels.store.ts';
import { createSecret } from './webhook-secrets.ts';

const record = eventsOf('NotificationChannel');

/** Channels of a tenant, at most. */
const MOST_CHANNELS = 500;

/** Name under which a channel's credential is sealed. */
export const credentialPath = (id: store.ChannelId): string => `notify.channels/${id}`;

const parts = {
  webhook: Type.Object({ config: shapes.webhookConfig }),
  slack: Type.Object({ config: Type.Optional(shapes.slackConfig), credential: Type.Optional(shapes.slackCredential) }),
  teams: Type.Object({ credential: Type.Optional(shapes.teamsCredential) }),
  pagerduty: Type.Object({
    config: Type.Optional(shapes.pagerdutyConfig),
    credential: Type.Optional(shapes.pagerdutyCredential),
  }),
  email: Type.Object({ config: shapes.emailConfig, credential: Type.Optional(shapes.emailCredential) }),
};

const settingsOfTypes = {
  webhook: Type.Optional(parts.webhook),
  slack: Type.Optional(parts.slack),
  teams: Type.Optional(parts.teams),
  pagerduty: Type.Optional(parts.pagerduty),
  email: Type.Optional(parts.email),
};

type TypeSettings = Static<ReturnType<typeof Type.Object<typeof settingsOfTypes>>>;

interface Given {
  readonly type: ChannelType;
  /** Undefined where the input has none, so that an update keeps what there is. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly credential: Readonly<Record<string, unknown>> | undefined;
}

/** The one type whose settings an input has. @throws Fault VAL_REQUIRED_FIELD, VAL_INVALID_VALUE */
const givenOf = (input: TypeSettings): Given => {
  const [type, ...others] = CHANNEL_TYPES.filter((each) => input[each] !== undefined);
  if (type === undefined)
    throw invalid([
      { field: 'webhook', message: 'or the settings of another type are required', code: 'VAL_REQUIRED_FIELD' },
    ]);
  const [second] = others;
  if (second !== undefined)
    throw invalid([{ field: second, message: `has no place beside ${type}`, code: 'VAL_INVALID_VALUE' }]);
  const { config, credential }: { config?: object; credential?: object } = input[type] ?? {};
  return { type, config: config && { ...config }, credential: credential && { ...credential } };
};

const required = (field: string, message = 'is required'): FieldFault => ({
  field,
  message,
  code: 'VAL_REQUIRED_FIELD',
});

/** Checks what no schema of one part can. @throws Fault VAL_* */
const checkCredential = ({ type, config = {}, credential }: Given): void => {
  if ((type === 'teams' || type === 'pagerduty') && credential === undefined)
    throw invalid([required(`${type}.credential`)]);
  if (type !== 'slack') return;
  const isBot = credential?.botToken !== undefined;
  if (isBot === (credential?.webhookUrl !== undefined))
    throw invalid([required('slack.credential', 'must have either webhookUrl or botToken')]);
  if (isBot && config.channel === undefined) throw invalid([required('slack.config.channel')]);
};

/** Settings that say where a credential is sent and how, and the field of the credential. */
const DESTINATIONS = new Map<store.Channel['type'], readonly [credential: string, settings: readonly string[]]>([
  ['slack', ['slack.credential.botToken', ['apiUrl']]],
  ['pagerduty', ['pagerduty.credential.routingKey', ['eventsUrl']]],
  ['email', ['email.credential.password', ['host', 'port', 'security']]],
]);

/** Field of the credential that a change of settings would send to another place; undefined for any other change. */
const redirected = (
  { type, config: before }: store.Channel,
  after: Readonly<Record<string, unknown>>,
): string | undefined => {
  const [field, settings] = DESTINATIONS.get(type) ?? ['', []];
  return settings.some((name) => before[name] !== after[name]) ? field : undefined;
};

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

const dataOf = ({ name, type, isEnabled, forPeople }: store.Channel) => ({ name, type, isEnabled, forPeople });

/** Checks that a channel can carry messages to addresses of people. @throws Fault VAL_INVALID_VALUE */
const checkForPeople = ({ type, config = {} }: Pick<Given, 'type' | 'config'>): void => {
  if (type === 'email' || type === 'webhook' || (type === 'slack' && config.channel !== undefined)) return;
  const message = 'is for mail, for webhooks, and for Slack with the token of a bot';
  throw invalid([{ field: 'forPeople', message, code: 'VAL_INVALID_VALUE' }]);
};

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
}: Pick<Deps, 'operation' | 'ids' | 'clock' | 'secrets'>) => {
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
        name: Type.Optional(freeText(100)),
        forPeople: forPeopleField,
        ...settingsOfTypes,
      }),
      raises: ['RES_NOT_FOUND', 'RES_ALREADY_EXISTS'],
      example: { id: exampleId('NotificationChannel'), name: 'releases' },
      async run(who, { id, name, forPeople, ...input }, tx) {
        const known = await store.getLocked(tx, who.tenant, id);
        if (name !== undefined && name !== known.name && (await store.findByName(tx, who.tenant, name)))
          throw alreadyExists(name);
        const hasSettings = CHANNEL_TYPES.some((type) => input[type] !== undefined);
        const given = hasSettings ? givenOf(input) : undefined;
        if (given && given.type !== known.type)
          throw invalid([
            {
              field: given.type,
              message: `has no place in a channel of type ${known.type}`,
              code: 'VAL_INVALID_VALUE',
            },
          ]);
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
