import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, json, oneOf, text, textArray } from '@landfall/kernel/db/columns';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { type Sql, sql } from '@landfall/kernel/db/sql';
import { type RowOf, table } from '@landfall/kernel/db/table';
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
    /** Version of each driver, by driver name. */
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

/** Lists the tenant's agents by name. */
export const list = (query: Query, tenant: TenantId) =>
  agents.listWhere(query, 'list', sql`tenant = ${tenant} order by name, id`);

const serving = table('orchestrator.agents.serving', { id: id('Agent') });

/** Checks whether an agent's registration covers the environment, so that the agent may serve targets there. */
export const serves = async (query: Query, tenant: TenantId, agent: AgentId, environment: Id<'Environment'>) => {
  const found = await serving.findWhere(
    query,
    'serves',
    sql`tenant = ${tenant} and id = ${agent} and (environment_ids is null or ${environment}::uuid = any(environment_ids))`,
  );
  return found !== undefined;
};

const hosts = table('orchestrator.agents.host', { platform: text });

/** Finds the platform (`os/architecture`) that the agent of a target registered with. */
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

/**
 * SQL condition: the agent is not revoked and owns the certificate with this serial, if a certificate was presented.
 */
export const hasCertificate = (serial: string | undefined): Sql => sql`state <> 'revoked'
  and (${serial ?? null}::text is null or ${serial ?? null} in (certificate_serial, previous_serial))`;

const status = table('orchestrator.agents.status', { isCalled: boolean });

export const findStatus = (query: Query, tenant: TenantId, agent: AgentId, serial: string | undefined) =>
  status.findWhere(query, 'findStatus', sql`tenant = ${tenant} and id = ${agent} and ${hasCertificate(serial)}`);

/** Locks an agent that owns this certificate and is not revoked, and returns its key. */
export const lockActive = (tx: Tx, tenant: TenantId, agent: AgentId, serial: string | undefined) =>
  keys.findWhere(
    tx,
    'lockActive',
    sql`tenant = ${tenant} and id = ${agent} and ${hasCertificate(serial)}
    for share`,
  );

const called = table('orchestrator.agents.called', { id: id('Agent') });

/** Asks an agent that is online to report at once: its pending poll returns, and the agent sends a heartbeat. */
export const requestHeartbeat = (tx: Tx, tenant: TenantId, agent: AgentId) =>
  tx.find(
    called,
    sql`/* orchestrator.agents.requestHeartbeat */
    update orchestrator.agents set is_called = true
    where tenant = ${tenant} and id = ${agent} and state in ('active', 'stale')
    returning ${called.columns}`,
  );

/** Clears the request for an immediate heartbeat and returns whether there was one. */
export const takeHeartbeatRequest = async (tx: Tx, tenant: TenantId, agent: AgentId): Promise<boolean> => {
  const result = await tx.run(sql`/* orchestrator.agents.takeHeartbeatRequest */
    update orchestrator.agents set is_called = false
    where tenant = ${tenant} and id = ${agent} and is_called and state <> 'revoked'`);
  return result > 0;
};
