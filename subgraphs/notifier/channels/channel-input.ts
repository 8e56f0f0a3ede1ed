import { isIPv6 } from 'node:net';
import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import Type, { type Static } from 'typebox';
import { CHANNEL_TYPES, type ChannelType } from '../templates/document.ts';
import * as shapes from './channel-config.ts';
import './channel-formats.ts';
import type { Channel } from './channels.store.ts';
import type { EnteredAddress } from './reachable-address.ts';

/** Settings of each type as they are sent. */
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

export const settingsOfTypes = {
  webhook: Type.Optional(parts.webhook),
  slack: Type.Optional(parts.slack),
  teams: Type.Optional(parts.teams),
  pagerduty: Type.Optional(parts.pagerduty),
  email: Type.Optional(parts.email),
};

export type TypeSettings = Static<ReturnType<typeof Type.Object<typeof settingsOfTypes>>>;

export interface Given {
  readonly type: ChannelType;
  /** Undefined where the input has none, so that an update keeps what there is. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
  readonly credential: Readonly<Record<string, unknown>> | undefined;
}

/** The one type whose settings an input has. @throws Fault VAL_REQUIRED_FIELD, VAL_INVALID_VALUE */
export const givenOf = (input: TypeSettings): Given => {
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

/** Addresses among the settings of a channel. */
export const addressesOf = ({ type, config = {}, credential = {} }: Given): EnteredAddress[] => {
  const places = [
    ...Object.entries(config).map(([name, value]) => ({ field: `${type}.config.${name}`, name, value })),
    ...Object.entries(credential).map(([name, value]) => ({ field: `${type}.credential.${name}`, name, value })),
  ];
  return places.flatMap(({ field, name, value }): EnteredAddress[] => {
    if (typeof value !== 'string') return [];
    // A mail server is judged as the host of an address; the port is its own.
    if (type === 'email' && name === 'host')
      return [{ field, url: `https://${isIPv6(value) ? `[${value}]` : value}:${config.port}` }];
    return /url$/i.test(name) ? [{ field, url: value }] : [];
  });
};

export const required = (field: string, message = 'is required'): FieldFault => ({
  field,
  message,
  code: 'VAL_REQUIRED_FIELD',
});

/** Checks what no schema of one part can. @throws Fault VAL_* */
export const checkCredential = ({ type, config = {}, credential }: Given): void => {
  if ((type === 'teams' || type === 'pagerduty') && credential === undefined)
    throw invalid([required(`${type}.credential`)]);
  if (type !== 'slack') return;
  const isBot = credential?.botToken !== undefined;
  if (isBot === (credential?.webhookUrl !== undefined))
    throw invalid([required('slack.credential', 'must have either webhookUrl or botToken')]);
  if (isBot && config.channel === undefined) throw invalid([required('slack.config.channel')]);
};

/** Settings that say where a credential is sent and how, and the field of the credential. */
const DESTINATIONS = new Map<Channel['type'], readonly [credential: string, settings: readonly string[]]>([
  ['slack', ['slack.credential.botToken', ['apiUrl']]],
  ['pagerduty', ['pagerduty.credential.routingKey', ['eventsUrl']]],
  ['email', ['email.credential.password', ['host', 'port', 'security']]],
]);

/** Field of the credential that a change of settings would send to another place; undefined for any other change. */
export const redirected = (
  { type, config: before }: Channel,
  after: Readonly<Record<string, unknown>>,
): string | undefined => {
  const [field, settings] = DESTINATIONS.get(type) ?? ['', []];
  return settings.some((name) => before[name] !== after[name]) ? field : undefined;
};

/** Checks that a channel can carry messages to addresses of people. @throws Fault VAL_INVALID_VALUE */
export const checkForPeople = ({ type, config = {} }: Pick<Given, 'type' | 'config'>): void => {
  if (type === 'email' || type === 'webhook' || (type === 'slack' && config.channel !== undefined)) return;
  const message = 'is for mail, for webhooks, and for Slack with the token of a bot';
  throw invalid([{ field: 'forPeople', message, code: 'VAL_INVALID_VALUE' }]);
};
