import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { id, instant, tenantId, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';

const tokens = table('orchestrator.registration_tokens', {
  id: id('RegistrationToken'),
  agentName: text.nullable(),
  environmentIds: textArray.nullable(),
  expiresAt: instant,
  usedAt: instant.nullable(),
});

export type RegistrationToken = RowOf<typeof tokens>;

const owner = table('orchestrator.registration_tokens.owner', { tenant: tenantId });

const columns = sql`id, agent_name, environment_ids::text[] as environment_ids, expires_at, used_at`;

export interface NewToken {
  readonly id: Id<'RegistrationToken'>;
  readonly hash: string;
  readonly agentName: string;
  readonly ttlSeconds: number;
  readonly environmentIds: readonly string[] | null;
}

export const insert = (tx: Tx, tenant: TenantId, values: NewToken, by: string) =>
  tx.get(
    tokens,
    sql`/* orchestrator.registration_tokens.insert */
    insert into orchestrator.registration_tokens (tenant, id, hash, agent_name, environment_ids, expires_at, created_by)
    values (${tenant}, ${values.id}, ${values.hash}, ${values.agentName}, ${values.environmentIds},
      kernel.now() + make_interval(secs => ${values.ttlSeconds}), ${by})
    returning ${columns}`,
  );

/** Finds the tenant of a token. Role `landfall_system`, since a registering agent has no tenant yet. */
export const findOwner = (query: Query, hash: string) =>
  query.find(
    owner,
    sql`/* orchestrator.registration_tokens.findOwner */
    select tenant from orchestrator.registration_tokens where hash = ${hash}`,
  );

export const findByHash = (query: Query, tenant: TenantId, hash: string) =>
  query.find(
    tokens,
    sql`/* orchestrator.registration_tokens.findByHash */
    select ${columns} from orchestrator.registration_tokens where tenant = ${tenant} and hash = ${hash}`,
  );

/** Marks a token as used. Of several concurrent attempts exactly one gets the row. */
export const consume = (tx: Tx, tenant: TenantId, hash: string, agent: Id<'Agent'>) =>
  tx.find(
    tokens,
    sql`/* orchestrator.registration_tokens.consume */
    update orchestrator.registration_tokens set used_at = kernel.now(), used_by_agent_id = ${agent}
    where tenant = ${tenant} and hash = ${hash} and used_at is null and expires_at > kernel.now()
    returning ${columns}`,
  );
