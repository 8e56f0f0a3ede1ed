import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query } from '@landfall/kernel/db/query';
import { empty, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
import { isActiveDeviation } from '../estate/conditions.ts';

const signers = table('orchestrator.trusted_signers policies', {
  id: id('TrustedSigner'),
  name: text,
  kind: oneOf('key', 'identity'),
  purposes: textArray,
  keyId: text.nullable(),
  issuer: text.nullable(),
  identity: text.nullable(),
  removedAt: instant.nullable(),
});

const drifts = table('orchestrator.deviations policies', {
  id: id('Deviation'),
  component: text,
  target: text,
  digest: text,
  reason: text,
  owner: text,
  endsAt: instant,
  isStanding: boolean,
  environmentId: id('Environment'),
  environmentName: text,
});

export type PolicySigner = RowOf<typeof signers>;
export type PolicyDrift = RowOf<typeof drifts>;

/** Days for which an expired or removed policy is still listed. */
const ENDED_DAYS = 90;

interface Wanted {
  readonly includesExpired: boolean;
  readonly limit: number;
}

/** Lists trusted signers by id, with recently removed ones on request. */
export const listSigners = (query: Query, tenant: TenantId, { includesExpired, limit }: Wanted) =>
  query.list(
    signers,
    sql`/* orchestrator.policies.listSigners */
    select ${signers.columns} from orchestrator.trusted_signers
    where tenant = ${tenant} and (removed_at is null
      ${includesExpired ? sql`or removed_at > kernel.now() - make_interval(days => ${ENDED_DAYS})` : empty})
    order by id limit ${limit}`,
  );

/** Lists accepted deviations, with recently expired or revoked ones on request. */
export const listDrifts = (query: Query, tenant: TenantId, { includesExpired, limit }: Wanted) =>
  query.list(
    drifts,
    sql`/* orchestrator.policies.listDrifts */
    select d.id, d.component, t.name as target, d.digest, d.reason, d.owner,
      least(d.expires_at, d.revoked_at) as ends_at, (${isActiveDeviation(tenant)}) as is_standing,
      e.id as environment_id, e.name as environment_name
    from orchestrator.deviations d
    join orchestrator.targets t on t.tenant = d.tenant and t.id = d.target_id
    join orchestrator.environments e on e.tenant = t.tenant and e.id = t.environment_id
    where d.tenant = ${tenant} and ((${isActiveDeviation(tenant)})
      ${
        includesExpired
          ? sql`or least(d.expires_at, d.revoked_at) > kernel.now() - make_interval(days => ${ENDED_DAYS})`
          : empty
      })
    order by d.id desc limit ${limit}`,
  );
