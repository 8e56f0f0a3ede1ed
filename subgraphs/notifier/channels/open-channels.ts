import type { TenantId } from '@landfall/kernel/core/ids';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import type { Query } from '@landfall/kernel/db/query';
import type { ChannelType } from '../templates/document.ts';
import type { ChannelConfigs, ChannelCredentials } from './channel-config.ts';
import * as store from './channels.store.ts';
import { credentialPath } from './channels.ts';
import { sendToEmail } from './email-adapter.ts';
import { sendToPagerduty } from './pagerduty-adapter.ts';
import type { Destination, Send, SendSurroundings } from './send.ts';
import { failed, type OutgoingMessage, type SendOutcome } from './send-outcome.ts';
import { sendToSlack } from './slack-adapter.ts';
import { sendToTeams } from './teams-adapter.ts';
import { sendToWebhook } from './webhook-adapter.ts';
import * as secretStore from './webhook-secrets.store.ts';
import { secretPath } from './webhook-secrets.ts';

/** Channel that deliveries are sent to, with the state of its circuit breaker. */
export interface OpenChannel extends store.SealedChannel {
  readonly hasLongSchedule: boolean;
  /** Newest secret of a webhook, unless its receiver accepted something that it alone signed. */
  readonly unconfirmedSecretId: secretStore.WebhookSecret['id'] | null;
  /** Whether one secret signs everything. */
  readonly hasOneSecret: boolean;
  /** Makes one attempt. */
  send(message: OutgoingMessage): Promise<SendOutcome>;
}

/** Connectors of a process by the type of channel that they send to. */
export type Connectors = { readonly [T in ChannelType]?: Send<T> };

/** Connectors that Landfall ships. */
export const CONNECTORS: Connectors = {
  slack: sendToSlack,
  teams: sendToTeams,
  email: sendToEmail,
  webhook: sendToWebhook,
  pagerduty: sendToPagerduty,
};

/** Asserts what the operations checked before they stored it. */
const isConfig = <T extends ChannelType>(_value: unknown, _type: T): _value is ChannelConfigs[T] => true;
const isCredential = <T extends ChannelType>(
  _value: unknown,
  _type: T,
): _value is T extends keyof ChannelCredentials ? ChannelCredentials[T] : undefined => true;

const destinationOf = <T extends ChannelType>(
  { tenant, config }: store.SealedChannel,
  type: T,
  credential: unknown,
  signing: readonly string[],
): Destination<T> => {
  if (!(isConfig(config, type) && isCredential(credential, type))) throw new TypeError(`not a channel of ${type}`);
  return { tenant, type, config, credential, secrets: signing };
};

const sendBy = <T extends ChannelType>(
  type: T,
  connectors: Connectors,
  surroundings: SendSurroundings,
  channel: store.SealedChannel,
  credential: unknown,
  signing: readonly string[],
) => {
  const send: Send<T> | undefined = connectors[type];
  if (!send) return async () => failed('channel_disabled', `This process has no connector for ${type}.`, true);
  const destination = destinationOf(channel, type, credential, signing);
  // A test proves that the receiver has the newest secret.
  const testing = { ...destination, secrets: signing.slice(0, 1) };
  return (message: OutgoingMessage): Promise<SendOutcome> =>
    send(surroundings, message.isTest ? testing : destination, message);
};

/** Key of a channel among several tenants. */
export const channelKey = (tenant: TenantId, channelId: store.ChannelId): string => `${tenant} ${channelId}`;

/** Creates the reading of channels with their credentials opened. A credential that cannot be opened fails each attempt. */
export const createOpenChannels = ({
  secrets,
  connectors,
  ...surroundings
}: SendSurroundings & { readonly secrets: Secrets; readonly connectors: Connectors }) => {
  const opened = (channel: store.SealedChannel, sealed: readonly secretStore.SealedSecret[]): OpenChannel['send'] => {
    const { tenant, id, credential } = channel;
    try {
      const plain: unknown =
        credential === null ? {} : JSON.parse(secrets.open(tenant, credentialPath(id), credential).toString('utf8'));
      const signing = sealed.map((each) => secrets.open(tenant, secretPath(each.id), each.sealed).toString('utf8'));
      return sendBy(channel.type, connectors, surroundings, channel, plain, signing);
    } catch {
      return async () => failed('credential', 'The credential of the channel cannot be opened. Enter it again.', false);
    }
  };

  /** Channels that are not removed, by `channelKey`. Role `landfall_system`. */
  return async (
    query: Query,
    keys: readonly { readonly tenant: TenantId; readonly channelId: store.ChannelId }[],
  ): Promise<ReadonlyMap<string, OpenChannel>> => {
    const rows = await store.listSealed(query, keys);
    const webhooks = rows.filter(({ type }) => type === 'webhook').map(({ tenant, id }) => ({ tenant, channelId: id }));
    const sealed = webhooks.length === 0 ? [] : await secretStore.listSealed(query, webhooks);
    const byChannel = Map.groupBy(sealed, ({ tenant, channelId }) => channelKey(tenant, channelId));
    return new Map(
      rows.map((row) => {
        const key = channelKey(row.tenant, row.id);
        const hasLongSchedule = row.config.longSchedule === true;
        const own = byChannel.get(key) ?? [];
        const [newest] = own;
        const unconfirmedSecretId = newest?.confirmedAt === null ? newest.id : null;
        const facts = { hasLongSchedule, unconfirmedSecretId, hasOneSecret: own.length === 1 };
        return [key, { ...row, ...facts, send: opened(row, own) }];
      }),
    );
  };
};

/** Whether each base connector is there, by its name (spec 4.8, rulings 39). */
export const readinessOf = (connectors: Connectors): Readonly<Record<ChannelType, () => Promise<boolean>>> => ({
  slack: async () => connectors.slack !== undefined,
  teams: async () => connectors.teams !== undefined,
  email: async () => connectors.email !== undefined,
  webhook: async () => connectors.webhook !== undefined,
  pagerduty: async () => connectors.pagerduty !== undefined,
});
