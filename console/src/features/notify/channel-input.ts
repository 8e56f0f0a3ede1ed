import type {
  CreateNotificationChannelInput,
  MailSecurity,
  NotificationChannelType,
} from '../../generated/operations.ts';
import type { FormFields } from '../../lib/form-fields.ts';
import { fieldsOf, parseJson } from '../../lib/json.ts';

export const CHANNEL_TYPES = [
  'WEBHOOK',
  'SLACK',
  'TEAMS',
  'EMAIL',
  'PAGERDUTY',
] as const satisfies readonly NotificationChannelType[];

export const MAIL_SECURITIES = ['TLS', 'STARTTLS', 'NONE'] as const satisfies readonly MailSecurity[];

/** Ways in which Slack takes messages. */
export const SLACK_MODES = ['webhook', 'bot'] as const;
export type SlackMode = (typeof SLACK_MODES)[number];

/** Settings of a channel as texts, by name. */
export const configOf = (config: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(parseJson(config))).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );

/** Address of a channel in one line. */
export function addressOf(type: NotificationChannelType, config: string): string {
  const { url, channel, to, host, eventsUrl } = configOf(config);
  if (type === 'WEBHOOK') return url ?? '';
  if (type === 'EMAIL') return [to, host].filter(Boolean).join(' · ');
  return (type === 'SLACK' ? channel : eventsUrl) ?? '';
}

type Settings = Omit<CreateNotificationChannelInput, 'name' | 'idempotencyKey'>;

/** Values of a credential, unless all of them were left empty: then the saved one stays. */
const given = <T extends object>(credential: T): { readonly credential?: T } =>
  Object.values(credential).some((value) => value !== null) ? { credential } : {};

type Choices = { readonly slackMode: SlackMode; readonly longSchedule: boolean };

/** Settings of a type from the form. A credential that was left empty is left out, and stays as it is. */
export function settingsOf(type: NotificationChannelType, fields: FormFields, choices: Choices): Settings {
  const { text, maybe } = fields;
  switch (type) {
    case 'WEBHOOK':
      return { webhook: { config: { url: text('url'), longSchedule: choices.longSchedule } } };
    case 'SLACK':
      return choices.slackMode === 'bot'
        ? {
            slack: {
              config: { channel: maybe('channel'), apiUrl: maybe('apiUrl') },
              ...given({ botToken: maybe('botToken') }),
            },
          }
        : { slack: { config: {}, ...given({ webhookUrl: maybe('webhookUrl') }) } };
    case 'TEAMS':
      return { teams: text('webhookUrl') === '' ? {} : { credential: { webhookUrl: text('webhookUrl') } } };
    case 'PAGERDUTY': {
      const routingKey = text('routingKey');
      const config = { eventsUrl: maybe('eventsUrl') };
      return { pagerduty: { config, ...(routingKey !== '' && { credential: { routingKey } }) } };
    }
    default:
      return { email: emailOf(fields) };
  }
}

function emailOf({ text, maybe, whole, list, raw }: FormFields) {
  const security = MAIL_SECURITIES.find((one) => one === text('security')) ?? 'TLS';
  const config = { host: text('host'), port: whole('port') ?? 0, security, from: text('from'), to: list('to') };
  // A password may begin or end with spaces.
  return { config, ...given({ username: maybe('username'), password: raw('password') || null }) };
}

/** Refusals under the names of the form's fields, which are the last parts of the input's. */
export const fieldOfPath = (path: string): string => {
  const [, part, name] = /^(?:webhook|slack|teams|pagerduty|email)\.(config|credential)(?:\.(\w+))?/.exec(path) ?? [];
  return name ?? part ?? path;
};
