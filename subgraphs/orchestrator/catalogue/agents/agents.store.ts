import type { Id, TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import {
  boolean,
  id,
  instant,
  integer,
  json,
  oneOf,
  type RowOf,
  table,
  text,
  textArray,
} from '@landfall/kernel/db/table';
import Type from 'typebox';

export type AgentId = Id<'Agent'>;

export const agents = table(
  'orchestrator.agents',
  {
    id: id('Agent'),
    name: text,
    state: oneOf('active', 'stale', 'offline', 'revoked'),
    softwareVersion: text,
    spiffeId: text,
    certificateNotAfter: instant,
    publicKey: text,
    /** Driver to its version. */
    capabilities: json(Type.Record(Type.String(), Type.String())),
    lastHeartbeatAt: instant,
    clockSkewMs: integer.nullable(),
    revokedAt: instant.nullable(),
    revokedBy: text.nullable(),
    revocationReason: text.nullable(),
    createdAt: instant,
    version: integer,
  },
  {
    noun: 'agent',
    code: 'RES_AGENT_NOT_FOUND',
    writes: {
      certificateSerial: text,
      previousSerial: text.nullable(),
      hostFacts: json(Type.Object({})),
      environmentIds: textArray.nullable(),
      createdBy: text,
      isCalled: boolean,
    },
  },
);

export const { find, get, listByIds, notFound } = agents;

export type Agent = RowOf<typeof agents>;

/** By name. */
export const list = (query: Query, tenant: TenantId) =>
  agents.listWhere(query, 'list', sql`tenant = ${tenant} order by name, id`);

const serving = table('orchestrator.agents.serving', { id: id('Agent') });

/** Whether an agent's registration lets it serve the targets of an environment. */
export const serves = async (query: Query, tenant: TenantId, agent: AgentId, environment: Id<'Environment'>) => {
  const found = await serving.findWhere(
    query,
    'serves',
    sql`tenant = ${tenant} and id = ${agent} and (environment_ids is null or ${environment}::uuid = any(environment_ids))`,
  );
  return found !== undefined;
};

const hosts = table('orchestrator.agents.host', { platform: text });

/** The platform of the agent that serves a target, `os/architecture`, as it registered. */
export const findPlatformOfTarget = async (query: Query, tenant: TenantId, target: Id<'Target'>) => {
  const host = await query.find(
    hosts,
    sql`/* orchestrator.agents.findPlatformOfTarget */
    select a.host_facts ->> 'platform' as platform
    from orchestrator.targets as t
    join orchestrator.agents as a on a.tenant = t.tenant and a.id = t.agent_id
    where t.tenant = ${tenant} and t.id = ${target}`,
  );
  return host?.platform;
};

const keys = table('orchestrator.agents.key', { publicKey: text });

/** Condition of an agent that is not revoked and to which a certificate belongs, where one was presented. */
export const hasCertificate = (serial: string | undefined): Sql => sql`state <> 'revoked'
  and (${serial ?? null}::text is null or ${serial ?? null} in (certificate_serial, previous_serial))`;

const status = table('orchestrator.agents.standing', { isCalled: boolean });

export const findStatus = (query: Query, tenant: TenantId, agent: AgentId, serial: string | undefined) =>
  status.findWhere(query, 'findStanding', sql`tenant = ${tenant} and id = ${agent} and ${hasCertificate(serial)}`);

/**
 * The key of an agent that speaks with this certificate and is not revoked; it stays so until this transaction ends. A
 * request may have been let in long before.
 */
export const holdActive = (tx: Tx, tenant: TenantId, agent: AgentId, serial: string | undefined) =>
  keys.findWhere(
    tx,
    'holdActive',
    sql`tenant = ${tenant} and id = ${agent} and ${hasCertificate(serial)}
    for share`,
  );

const called = table('orchestrator.agents.called', { id: id('Agent') });

/** Asks an agent that is heard to look now: its poll is answered, and it beats at once. */
export const call = (tx: Tx, tenant: TenantId, agent: AgentId) =>
  tx.find(
    called,
    sql`/* orchestrator.agents.call */
    update orchestrator.agents set is_called = true
    where tenant = ${tenant} and id = ${agent} and state in ('active', 'stale')
    returning ${called.columns}`,
  );

/** Whether an agent was called; it is told so once. */
export const takeCall = async (tx: Tx, tenant: TenantId, agent: AgentId): Promise<boolean> => {
  const taken = await tx.run(sql`/* orchestrator.agents.takeCall */
    update orchestrator.agents set is_called = false
    where tenant = ${tenant} and id = ${agent} and is_called and state <> 'revoked'`);
  return taken > 0;
};
