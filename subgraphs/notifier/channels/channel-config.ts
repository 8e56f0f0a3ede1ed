import { oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';

const strict = { additionalProperties: false } as const;
const url = Type.String({
  minLength: 8,
  maxLength: 2_048,
  format: 'channel-url',
  refusal: 'must be an address such as https://hooks.example/landfall, without a user name, password or fragment',
});
const secretText = Type.String({ minLength: 1, maxLength: 4_096 });
const mailAddress = Type.String({
  minLength: 3,
  maxLength: 320,
  format: 'mail-address',
  refusal: 'must be a mail address such as ana@example.com',
});

/** Webhook: signed deliveries in JSON to an address (Standard Webhooks 1.0.0). */
export const webhookConfig = Type.Object(
  {
    url,
    /** Whether a failed delivery is repeated over three days instead of three seconds. */
    longSchedule: Type.Optional(Type.Boolean()),
  },
  strict,
);

/** Slack by an incoming webhook, or by a bot that posts to a channel and can update its messages. */
export const slackConfig = Type.Object(
  {
    /** Channel's id of the bot: `C0123456789`. */
    channel: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
    /** Base address of Slack's Web API: `https://slack.com/api` unless given. */
    apiUrl: Type.Optional(url),
  },
  strict,
);
export const slackCredential = Type.Object(
  { webhookUrl: Type.Optional(url), botToken: Type.Optional(secretText) },
  strict,
);

/** Microsoft Teams by a webhook of Workflows, which is the credential. */
export const teamsConfig = Type.Object({}, strict);
export const teamsCredential = Type.Object({ webhookUrl: url }, strict);

/** PagerDuty by Events API v2. */
export const pagerdutyConfig = Type.Object(
  {
    /** Base address of the Events API: `https://events.pagerduty.com` unless given. */
    eventsUrl: Type.Optional(url),
  },
  strict,
);
export const pagerdutyCredential = Type.Object({ routingKey: secretText }, strict);

/** Mail by a server of the tenant. */
export const emailConfig = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    /** TLS from the start (RFC 8314), after STARTTLS, which is required, or none. */
    security: oneOf('tls', 'starttls', 'none'),
    from: mailAddress,
    to: Type.Array(mailAddress, { minItems: 1, maxItems: 50 }),
  },
  strict,
);
export const emailCredential = Type.Object(
  { username: Type.Optional(secretText), password: Type.Optional(secretText) },
  strict,
);

/** Credential of a channel as it is sealed; a webhook's secrets are rows of their own. */
export interface ChannelCredentials {
  readonly slack: Static<typeof slackCredential>;
  readonly teams: Static<typeof teamsCredential>;
  readonly email: Static<typeof emailCredential>;
  readonly pagerduty: Static<typeof pagerdutyCredential>;
}

export interface ChannelConfigs {
  readonly slack: Static<typeof slackConfig>;
  readonly teams: Static<typeof teamsConfig>;
  readonly email: Static<typeof emailConfig>;
  readonly webhook: Static<typeof webhookConfig>;
  readonly pagerduty: Static<typeof pagerdutyConfig>;
}
