import { randomBytes } from 'node:crypto';
import { Fault, invalid } from '@landfall/kernel/core/fault';
import { exampleId, idOf, type TenantId, toId } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { eventsOf } from '@landfall/kernel/events/write';
import type { Deps } from '@landfall/kernel/module';
import { instant } from '@landfall/kernel/operation/input';
import Type from 'typebox';
import { NOTIFY_ADMIN, NOTIFY_READ } from '../shared/scopes.ts';
import type { ChannelId } from './channels.store.ts';
import * as channels from './channels.store.ts';
import * as store from './webhook-secrets.store.ts';
import { formatSecret } from './webhook-signature.ts';

const SECRET_BYTES = 32;
const HOUR_MS = 3_600_000;
/** Time that the replaced secret goes on signing, unless given. */
const OVERLAP_HOURS = 24;
/** Secrets of a channel that have not expired, at most. */
const MOST_SECRETS = 4;

const record = eventsOf('NotificationChannel');

/** Name under which a secret is sealed. */
export const secretPath = (id: store.WebhookSecret['id']): string => `notify.webhook_secrets/${id}`;

/** Secret as it is shown afterwards. */
const masked = ({ hint }: store.WebhookSecret): string => `whsec_****${hint}`;

interface SecretDeps extends Pick<Deps, 'operation' | 'ids' | 'clock' | 'secrets'> {}

/** Makes and stores a secret. @returns it with the secret, which is never shown again */
export const createSecret = async (
  { ids, secrets }: Pick<SecretDeps, 'ids' | 'secrets'>,
  tx: Tx,
  tenant: TenantId,
  { channelId, activeAt }: { readonly channelId: ChannelId; readonly activeAt: Date },
) => {
  const secret = formatSecret(randomBytes(SECRET_BYTES));
  const id = toId(ids.uuid(), 'WebhookSecret');
  const row = await store.insert(tx, tenant, {
    id,
    channelId,
    hint: secret.slice(-4),
    fingerprint: sha256Hex(secret).slice(0, 16),
    activeAt,
    sealed: secrets.seal(tenant, secretPath(id), secret),
  });
  return { secret, row };
};

/** @throws Fault RES_NOT_FOUND, VAL_INVALID_VALUE */
const webhookOf = async (query: Query, tenant: TenantId, channelId: ChannelId) => {
  const channel = await channels.get(query, tenant, channelId);
  if (channel.type === 'webhook') return channel;
  throw invalid([
    {
      field: 'channelId',
      message: `names a channel of type ${channel.type}; only webhooks have a secret that signs`,
      code: 'VAL_INVALID_VALUE',
    },
  ]);
};

/** Creates the operations on the secrets of webhooks (spec 2.9, 4.8). */
export const createWebhookSecrets = ({ operation, clock, ...deps }: SecretDeps) => ({
  /** Replaces the secret; until the old one expires, deliveries are signed by both. */
  rotate: operation({
    name: 'webhookSecret.rotate',
    kind: 'write',
    scope: NOTIFY_ADMIN,
    input: Type.Object({
      channelId: idOf('NotificationChannel'),
      /** Time from which the new secret signs, so that it can be installed before; now unless given. */
      activeAt: Type.Optional(instant),
      /** Hours after it during which the old one signs too. */
      overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 720 })),
    }),
    raises: ['RES_NOT_FOUND', 'RES_CONFLICT'],
    example: { channelId: exampleId('NotificationChannel') },
    async run(who, { channelId, activeAt: wanted, overlapHours = OVERLAP_HOURS }, tx) {
      const { tenant } = who;
      await channels.getLocked(tx, tenant, channelId);
      const channel = await webhookOf(tx, tenant, channelId);
      await store.removeExpired(tx, tenant, channelId);
      const now = clock.now();
      const activeAt = wanted === undefined ? now : new Date(wanted);
      if (activeAt < now && wanted !== undefined)
        throw invalid([{ field: 'activeAt', message: 'lies in the past', code: 'VAL_INVALID_VALUE' }]);
      const oldSecretExpiresAt = new Date(activeAt.getTime() + overlapHours * HOUR_MS);
      await store.retireAll(tx, tenant, channelId, oldSecretExpiresAt);
      // A secret that leaked is replaced at once, however many there are: an overlap of no hours ends them all.
      const existing = (await store.list(tx, tenant, channelId)).filter(
        ({ expiresAt }) => expiresAt === null || expiresAt > now,
      );
      if (existing.length >= MOST_SECRETS)
        throw new Fault(
          'RES_CONFLICT',
          `${MOST_SECRETS} secrets of this channel are still in force. Rotate with an overlap of 0 hours to end them, or later.`,
          { expiresAt: existing.at(-1)?.expiresAt },
        );
      const { secret, row } = await createSecret(deps, tx, tenant, { channelId, activeAt });
      await record(tx, who, 'webhookSecret.rotate', channel, {
        fingerprint: row.fingerprint,
        activeAt,
        oldSecretExpiresAt,
      });
      return { channelId, secret, activeAt, oldSecretExpiresAt };
    },
  }),

  get: operation({
    name: 'webhookSecret.get',
    kind: 'read',
    scope: NOTIFY_ADMIN,
    input: Type.Object({ channelId: idOf('NotificationChannel') }),
    raises: ['RES_NOT_FOUND'],
    example: { channelId: exampleId('NotificationChannel') },
    async run({ tenant }, { channelId }, query) {
      await webhookOf(query, tenant, channelId);
      const secrets = (await store.list(query, tenant, channelId)).map((row) => ({ ...row, secret: masked(row) }));
      return { channelId, secrets };
    },
  }),

  /** Secrets of channels for readers, without anything of the secret. */
  list: operation({
    name: 'webhookSecret.list',
    kind: 'read',
    scope: NOTIFY_READ,
    input: Type.Object({ channelIds: Type.Array(idOf('NotificationChannel'), { maxItems: 1_000 }) }),
    example: { channelIds: [exampleId('NotificationChannel')] },
    run: ({ tenant }, { channelIds }, query) => store.listOfChannels(query, tenant, channelIds),
  }),
});

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;
