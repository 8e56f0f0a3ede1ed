import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import { boolean, id, instant, integer, oneOf, tenantId, text } from '@landfall/kernel/db/columns';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { type Agent, type AgentId, agents, hasCertificate } from '../../catalogue/agents/agent.ts';

export interface NewAgent extends Pick<Agent, 'id' | 'name' | 'softwareVersion' | 'spiffeId' | 'certificateNotAfter'> {
  readonly publicKey: string;
  readonly serial: string;
  readonly capabilities: Readonly<Record<string, string>>;
  readonly hostFacts: object;
  readonly environmentIds: readonly string[] | null;
  readonly clockSkewMs: number;
}

export const duplicateName = (name: string): Fault =>
  new Fault('AGT_REGISTRATION_FAILED', `An agent called ${name} is at work already. Choose another name.`, { name });

/** Inserts an agent. @throws Fault AGT_REGISTRATION_FAILED when its name is taken */
export const insert = (tx: Tx, tenant: TenantId, { serial, ...agent }: NewAgent, by: string): Promise<Agent> =>
  onConflict(
    agents.insert(tx, tenant, { ...agent, state: 'active', certificateSerial: serial, createdBy: by }),
    'agents_name',
    () => duplicateName(agent.name),
  );

const namedRows = table('orchestrator.agents.named', {
  id: id('Agent'),
  state: oneOf('active', 'stale', 'offline'),
  certificateSerial: text,
  hasExpired: boolean,
});

/** Locks the agent with this name, so that only one of two registrations replaces its key. */
export const lockByName = (tx: Tx, tenant: TenantId, name: string) =>
  tx.find(
    namedRows,
    sql`/* orchestrator.agents.lockByName */
    select id, state, certificate_serial, certificate_not_after <= kernel.now() as has_expired from orchestrator.agents
    where tenant = ${tenant} and name = ${name} and state <> 'revoked'
    for no key update`,
  );

/** Registers a locked agent again with another key: its earlier certificates are no longer accepted. */
export const reRegister = (tx: Tx, tenant: TenantId, { id, serial, name: _, ...agent }: NewAgent) =>
  agents.update(tx, tenant, id, {
    ...agent,
    state: 'active',
    certificateSerial: serial,
    previousSerial: null,
    lastHeartbeatAt: sql`kernel.now()`,
  });

export interface Renewal {
  readonly serial: string;
  /** Serial of the certificate that the agent presented. */
  readonly presented: string | undefined;
  readonly notAfter: Date;
  readonly publicKey: string;
}

/** Records a renewed certificate. The presented one stays valid, since the agent may not receive the answer. */
export const renew = (tx: Tx, tenant: TenantId, agent: AgentId, values: Renewal) =>
  tx.find(
    agents,
    sql`/* orchestrator.agents.renew */
    update orchestrator.agents set
      previous_serial = coalesce(${values.presented ?? null}, certificate_serial), certificate_serial = ${values.serial},
      certificate_not_after = ${values.notAfter}, public_key = ${values.publicKey}, version = version + 1
    where tenant = ${tenant} and id = ${agent} and state <> 'revoked'
    returning ${agents.columns}`,
  );

const identified = table('orchestrator.agents.identified', {
  tenant: tenantId,
  id: id('Agent'),
  state: oneOf('active', 'stale', 'offline', 'revoked'),
});

/** Finds the agent of a certificate by the agent's id in the certificate and the serial. Role `landfall_system`. */
export const identify = (query: Query, tenant: string, agent: string, serial: string) =>
  query.find(
    identified,
    sql`/* orchestrator.agents.identify */
    select tenant, id, state from orchestrator.agents
    where tenant = ${tenant} and id = ${agent} and ${serial} in (certificate_serial, previous_serial)`,
  );

/** Locks an agent until the transaction ends; tasks may still refer to it. */
export const lock = (tx: Tx, tenant: TenantId, agent: AgentId) =>
  agents.findWhere(tx, 'lock', sql`tenant = ${tenant} and id = ${agent} for no key update`);

/** Revokes a locked agent: none of its certificates is accepted afterwards. */
export const revoke = (tx: Tx, tenant: TenantId, agent: AgentId, reason: string, by: string) =>
  agents.update(tx, tenant, agent, {
    state: 'revoked',
    revokedAt: sql`kernel.now()`,
    revokedBy: by,
    revocationReason: reason,
    isCalled: false,
  });

export interface HeartbeatUpdate {
  /** Serial of the certificate presented with the heartbeat. */
  readonly serial: string | undefined;
  readonly clockSkewMs: number;
  readonly diskFree: number;
  readonly capabilities: Readonly<Record<string, string>>;
}

const heartbeatRow = table('orchestrator.agents.beaten', {
  certificateNotAfter: instant,
  version: integer,
  versionBefore: integer,
});

/**
 * Records a heartbeat of an agent that owns this certificate and is not revoked, in one statement, since heartbeats are
 * the most frequent request. The version increases only when the agent came back or its capabilities changed, so that a
 * heartbeat is no event. The first heartbeat with a renewed certificate invalidates the previous one.
 */
export const sendHeartbeat = (tx: Tx, tenant: TenantId, agent: AgentId, values: HeartbeatUpdate) =>
  tx.find(
    heartbeatRow,
    sql`/* orchestrator.agents.beat */
    with before as (
      select version from orchestrator.agents where tenant = ${tenant} and id = ${agent} for no key update
    )
    update orchestrator.agents as a set
      state = 'active', last_heartbeat_at = kernel.now(), clock_skew_ms = ${values.clockSkewMs},
      disk_free = ${values.diskFree}, capabilities = ${jsonb(values.capabilities)},
      previous_serial = case when certificate_serial = ${values.serial ?? null} then null else previous_serial end,
      version = a.version + case when state = 'active' and capabilities = ${jsonb(values.capabilities)} then 0 else 1 end
    from before
    where tenant = ${tenant} and id = ${agent} and ${hasCertificate(values.serial)}
    returning certificate_not_after, a.version, before.version as version_before`,
  );

const silent = table('orchestrator.agents.silent', { tenant: tenantId, id: id('Agent') });

/** Lists agents that have been silent for longer than their state says. Role `landfall_system`. */
export const listSilent = (query: Query, staleSeconds: number, offlineSeconds: number) =>
  query.list(
    silent,
    sql`/* orchestrator.agents.listSilent */
    select tenant, id from orchestrator.agents
    where (state = 'active' and last_heartbeat_at <= kernel.now() - make_interval(secs => ${staleSeconds}))
      or (state = 'stale' and last_heartbeat_at <= kernel.now() - make_interval(secs => ${offlineSeconds}))`,
  );

/** Marks a silent agent as stale or offline; changes nothing if it sent a heartbeat since. */
export const markSilent = (tx: Tx, tenant: TenantId, agent: AgentId, staleSeconds: number, offlineSeconds: number) =>
  tx.find(
    agents,
    sql`/* orchestrator.agents.markSilent */
    update orchestrator.agents set
      state = case when last_heartbeat_at <= kernel.now() - make_interval(secs => ${offlineSeconds})
        then 'offline' else 'stale' end,
      version = version + 1
    where tenant = ${tenant} and id = ${agent} and state in ('active', 'stale')
      and last_heartbeat_at <= kernel.now()
        - make_interval(secs => case when state = 'active' then ${staleSeconds}::integer else ${offlineSeconds} end)
    returning ${agents.columns}`,
  );
