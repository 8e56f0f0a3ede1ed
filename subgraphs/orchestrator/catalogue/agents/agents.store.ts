import { Fault } from '@landfall/kernel/core/fault';
import type { Id, TenantId } from '@landfall/kernel/core/ids';
import { onConflict } from '@landfall/kernel/db/errors';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { sql } from '@landfall/kernel/db/sql';
import {
  boolean,
  id,
  instant,
  integer,
  json,
  oneOf,
  type RowOf,
  table,
  tenantId,
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
    },
  },
);

export const { find, get, listByIds, notFound } = agents;

export type Agent = RowOf<typeof agents>;

export interface NewAgent extends Pick<Agent, 'id' | 'name' | 'softwareVersion' | 'spiffeId' | 'certificateNotAfter'> {
  readonly publicKey: string;
  readonly serial: string;
  readonly capabilities: Readonly<Record<string, string>>;
  readonly hostFacts: object;
  readonly environmentIds: readonly string[] | null;
  readonly clockSkewMs: number;
}

export const nameTaken = (name: string): Fault =>
  new Fault('AGT_REGISTRATION_FAILED', `An agent called ${name} is at work already. Choose another name.`, { name });

/** @throws Fault AGT_REGISTRATION_FAILED when an agent of that name is there already */
export const insert = (tx: Tx, tenant: TenantId, { serial, ...given }: NewAgent, by: string): Promise<Agent> =>
  onConflict(
    agents.insert(tx, tenant, { ...given, state: 'active', certificateSerial: serial, createdBy: by }),
    'agents_name',
    () => nameTaken(given.name),
  );

const named = table('orchestrator.agents.named', {
  id: id('Agent'),
  state: oneOf('active', 'stale', 'offline'),
  certificateSerial: text,
  hasExpired: boolean,
});

/** Agent that has a name now, locked so that two registrations do not both take it over. */
export const lockByName = (tx: Tx, tenant: TenantId, name: string) =>
  tx.find(
    named,
    sql`/* orchestrator.agents.lockByName */
    select id, state, certificate_serial, certificate_not_after <= kernel.now() as has_expired from orchestrator.agents
    where tenant = ${tenant} and name = ${name} and state <> 'revoked'
    for no key update`,
  );

/** Registers a locked agent anew with another key: nothing that it presented before is accepted any more. */
export const takeOver = (tx: Tx, tenant: TenantId, { id, serial, name: _, ...given }: NewAgent) =>
  agents.update(tx, tenant, id, {
    ...given,
    state: 'active',
    certificateSerial: serial,
    previousSerial: null,
    lastHeartbeatAt: sql`kernel.now()`,
  });

/** By name. */
export const list = (query: Query, tenant: TenantId) =>
  query.list(
    agents,
    sql`/* orchestrator.agents.list */
    select ${agents.columns} from orchestrator.agents where tenant = ${tenant} order by name, id`,
  );

const serving = table('orchestrator.agents.serving', { id: id('Agent') });

/** Whether an agent's registration lets it serve the targets of an environment. */
export const serves = async (
  query: Query,
  tenant: TenantId,
  agent: AgentId,
  environment: Id<'Environment'>,
): Promise<boolean> => {
  const found = await query.find(
    serving,
    sql`/* orchestrator.agents.serves */
    select ${serving.columns} from orchestrator.agents
    where tenant = ${tenant} and id = ${agent} and (environment_ids is null or ${environment}::uuid = any(environment_ids))`,
  );
  return found !== undefined;
};

export interface Renewal {
  readonly serial: string;
  /** Serial of the certificate that the agent presents. */
  readonly presented: string | undefined;
  readonly notAfter: Date;
  readonly publicKey: string;
}

/** A renewed certificate. The presented one stays good: an answer that is lost must not lock its agent out. */
export const renew = (tx: Tx, tenant: TenantId, agent: AgentId, given: Renewal) =>
  tx.find(
    agents,
    sql`/* orchestrator.agents.renew */
    update orchestrator.agents set
      previous_serial = coalesce(${given.presented ?? null}, certificate_serial), certificate_serial = ${given.serial},
      certificate_not_after = ${given.notAfter}, public_key = ${given.publicKey}, version = version + 1
    where tenant = ${tenant} and id = ${agent} and state <> 'revoked'
    returning ${agents.columns}`,
  );

const silent = table('orchestrator.agents.silent', { tenant: tenantId, id: id('Agent') });

/** Agents whose silence is longer than their state says. Role `landfall_system`. */
export const listSilent = (query: Query, staleSeconds: number, offlineSeconds: number) =>
  query.list(
    silent,
    sql`/* orchestrator.agents.listSilent */
    select tenant, id from orchestrator.agents
    where (state = 'active' and last_heartbeat_at <= kernel.now() - make_interval(secs => ${staleSeconds}))
      or (state = 'stale' and last_heartbeat_at <= kernel.now() - make_interval(secs => ${offlineSeconds}))`,
  );

/** Says of a silent agent what its silence means; nothing where it has beaten since. */
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

const hosts = table('orchestrator.agents.host', { platform: text });

/** The platform of the agent that serves a target, `os/architecture`, as it registered. */
export const findPlatformOfTarget = async (
  query: Query,
  tenant: TenantId,
  target: Id<'Target'>,
): Promise<string | undefined> => {
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
