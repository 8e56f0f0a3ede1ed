import { randomBytes } from 'node:crypto';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf, isId, isTenantId, type TenantId } from '@landfall/kernel/core/ids';
import { createLru } from '@landfall/kernel/core/lru';
import type { Deps } from '@landfall/kernel/module';
import { parseRepository } from '@landfall/kernel/oci/repository';
import Type from 'typebox';
import { expectVersion } from '../../shared/expected-version.ts';
import { expectedVersion } from '../../shared/input.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers } from '../../shared/scopes.ts';
import * as store from './sources.store.ts';
import { namesRepository } from './webhook-payload.ts';
import { provesSecret } from './webhook-proof.ts';

/** Shortest pause between a poll and one that a webhook hastens, in seconds: replayed webhooks cost no more. */
const PAUSE_SECONDS = 10;
/** Webhooks that one sender may send a minute, in each process: to one source, and to all sources together. */
const PER_MINUTE = { source: 60, sender: 600 } as const;
const MINUTE_MS = 60_000;
const MAX_SENDERS = 10_000;

/** Counts events of each key within a minute. */
const createRateLimit = (limit: number) => {
  const counted = createLru<string, { count: number }>({ most: MAX_SENDERS, lifeMs: MINUTE_MS });
  return {
    /** Counts one more. Returns whether the limit allows it. */
    take(key: string): boolean {
      const window = counted.get(key);
      if (!window) counted.set(key, { count: 1 });
      else if (window.count >= limit) return false;
      else window.count += 1;
      return true;
    },
  };
};

/** Request to a webhook's address. */
interface WebhookRequest {
  readonly tenant: string;
  readonly source: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** Address of the sender. */
  readonly address: string;
}

/** Effect of an authenticated webhook. */
interface WebhookOutcome {
  readonly isHastened: boolean;
  /** Reason why the next poll stays when it was; null where it is hastened. */
  readonly reason: string | null;
}

const unhastened = (reason: string): WebhookOutcome => ({ isHastened: false, reason });

/** Path of a source's webhook, below {base_url}. */
const webhookPath = (tenant: string, source: string): string => `/api/v1/webhooks/registries/${tenant}/${source}`;

/** Sealing context of a source's webhook secret. */
const rowPath = (id: string): string => `release-source/${id}/webhook`;

/** Same refusal for an unknown source, one without a webhook and a wrong secret: none tells which. */
const refused = (): Fault => new Fault('AUTH_TOKEN_INVALID', 'The webhook does not prove the secret of a source.');

/** Compared with where there is no secret, so that the time does not tell. */
const unknownSecret = randomBytes(32).toString('base64url');

/** Creates the operation that sets up webhooks, and the receiver, which only hastens a poll. */
export const createWebhooks = ({ operation, database, secrets }: Pick<Deps, 'operation' | 'database' | 'secrets'>) => {
  const senders = createRateLimit(PER_MINUTE.sender);
  const sendersToSource = createRateLimit(PER_MINUTE.source);

  /**
   * Counts a webhook before the database is asked, also one for a source that does not exist.
   * @throws Fault cost_budget_exhausted
   */
  const countSender = ({ address, tenant, source }: WebhookRequest): void => {
    if (senders.take(address) && sendersToSource.take(`${address} ${tenant} ${source}`)) return;
    throw new Fault(
      'cost_budget_exhausted',
      `One sender may send ${PER_MINUTE.source} webhooks a minute to one source, and ${PER_MINUTE.sender} to all.`,
      { retryAfter: MINUTE_MS / 1_000 },
    );
  };

  const find = async (
    tenant: string,
    id: string,
  ): Promise<{ tenant: TenantId; source: store.ReleaseSource } | undefined> => {
    if (!isTenantId(tenant) || !isId(id, 'ReleaseSource')) return undefined;
    const source = await database.read(tenant, (query) => store.find(query, tenant, id));
    return source && { tenant, source };
  };

  const operations = {
    setWebhook: operation({
      name: 'source.setWebhook',
      kind: 'write',
      scope: administers,
      input: Type.Object({ id: idOf('ReleaseSource'), expectedVersion, isEnabled: Type.Boolean() }),
      raises: ['RES_NOT_FOUND', 'RES_VERSION_CONFLICT'],
      example: { id: exampleId('ReleaseSource'), expectedVersion: 1, isEnabled: true },
      async run(caller, { id, expectedVersion: expected, isEnabled }, tx) {
        expectVersion(await store.getLocked(tx, caller.tenant, id), expected);
        const secret = isEnabled ? randomBytes(32).toString('base64url') : null;
        const sealed = secret === null ? null : secrets.seal(caller.tenant, rowPath(id), secret);
        const source = await store.setWebhookSecret(tx, caller.tenant, id, sealed, caller.subject);
        await publishEvent(tx, caller, 'source.setWebhook', 'ReleaseSource', source, {
          component: source.component,
          isEnabled,
        });
        return { source, secret, path: webhookPath(caller.tenant, id) };
      },
    }),
  };

  /** Lets a source be polled soon. */
  const hasten = async (
    tenant: TenantId,
    { id, isEnabled, failures }: store.ReleaseSource,
  ): Promise<WebhookOutcome> => {
    if (!isEnabled) return unhastened('The source is disabled.');
    if (failures > 0) return unhastened('The last poll failed, and the pause after it goes on.');
    const changed = await database.write(tenant, (tx) => store.hasten(tx, tenant, id, PAUSE_SECONDS));
    if (changed === 0) return unhastened(`The source is polled within ${PAUSE_SECONDS} seconds anyway.`);
    return { isHastened: true, reason: null };
  };

  /**
   * Hastens the poll of a source whose repository an authenticated webhook names. What else it says is not read.
   * @throws Fault AUTH_TOKEN_INVALID, cost_budget_exhausted; VAL_INVALID_JSON, VAL_SCHEMA_MISMATCH once it is proven
   */
  const receive = async (request: WebhookRequest): Promise<WebhookOutcome> => {
    countSender(request);
    const { tenant, source: id, headers, body } = request;
    const found = await find(tenant, id);
    const sealed = found?.source.webhookSecret;
    const secret =
      found && sealed ? secrets.open(found.tenant, rowPath(found.source.id), sealed).toString('utf8') : unknownSecret;
    if (!provesSecret(headers, body, secret) || !found) throw refused();
    const { 'content-type': type } = headers;
    const { path } = parseRepository(found.source.repository);
    if (!namesRepository(body, typeof type === 'string' ? type : '', path))
      return unhastened(`The webhook tells of no push to ${path}.`);
    return hasten(found.tenant, found.source);
  };

  return { operations, receive };
};
