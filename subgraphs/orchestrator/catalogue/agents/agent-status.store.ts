import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query, Tx } from '@landfall/kernel/db/query';
import { jsonb, type Sql, sql } from '@landfall/kernel/db/sql';
import { boolean, id, instant, integer, oneOf, table, tenantId, text } from '@landfall/kernel/db/table';
import { type AgentId, agents } from './agents.store.ts';

// Whether an agent is let in, called or at its end: what is asked at every request of one.

const identified = table('orchestrator.agents.identified', {
  tenant: tenantId,
  id: id('Agent'),
  state: oneOf('active', 'stale', 'offline', 'revoked'),
});

/** Finds the agent of a certificate, by the id in its name and its serial. Role `landfall_system`. */
export const identify = (query: Query, tenant: string, agent: string, serial: string) =>
  query.find(
    identified,
    sql`/* orchestrator.agents.identify */
    select tenant, id, state from orchestrator.agents
    where tenant = ${tenant} and id = ${agent} and ${serial} in (certificate_serial, previous_serial)`,
  );

const keys = table('orchestrator.agents.key', { publicKey: text });

const speaks = (serial: string | undefined): Sql => sql`state <> 'revoked'
  and (${serial ?? null}::text is null or ${serial ?? null} in (certificate_serial, previous_serial))`;

const standing = table('orchestrator.agents.standing', { isCalled: boolean });

export const findStatus = (query: Query, tenant: TenantId, agent: AgentId, serial: string | undefined) =>
  query.find(
    standing,
    sql`/* orchestrator.agents.findStanding */
    select ${standing.columns} from orchestrator.agents
    where tenant = ${tenant} and id = ${agent} and ${speaks(serial)}`,
  );

/**
 * The key of an agent that speaks with this certificate and is not revoked; it stays so until this transaction ends. A
 * request may have been let in long before.
 */
export const holdActive = (tx: Tx, tenant: TenantId, agent: AgentId, serial: string | undefined) =>
  tx.find(
    keys,
    sql`/* orchestrator.agents.holdActive */
    select ${keys.columns} from orchestrator.agents
    where tenant = ${tenant} and id = ${agent} and ${speaks(serial)}
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

/** An agent that nobody else changes until this transaction ends; its tasks may still refer to it. */
export const lock = (tx: Tx, tenant: TenantId, agent: AgentId) =>
  tx.find(
    agents,
    sql`/* orchestrator.agents.lock */
    select ${agents.columns} from orchestrator.agents
    where tenant = ${tenant} and id = ${agent} for no key update`,
  );

/** The end of a locked agent: no certificate of it is good for anything from here on. */
export const revoke = (tx: Tx, tenant: TenantId, agent: AgentId, reason: string, by: string) =>
  tx.get(
    agents,
    sql`/* orchestrator.agents.revoke */
    update orchestrator.agents set
      state = 'revoked', revoked_at = kernel.now(), revoked_by = ${by}, revocation_reason = ${reason},
      is_called = false, version = version + 1
    where tenant = ${tenant} and id = ${agent}
    returning ${agents.columns}`,
  );

export interface Beat {
  /** Serial of the certificate it came with. */
  readonly serial: string | undefined;
  readonly clockSkewMs: number;
  readonly diskFree: number;
  readonly capabilities: Readonly<Record<string, string>>;
}

const beaten = table('orchestrator.agents.beaten', {
  certificateNotAfter: instant,
  version: integer,
  versionBefore: integer,
});

/**
 * Records a beat of an agent that speaks with this certificate and is not revoked: the one statement that asks, since beats
 * are most of what a server hears. The version moves only when an agent came back or can do something else: a beat is no
 * event. The first beat with a renewed certificate is the end of the one before.
 */
export const beat = (tx: Tx, tenant: TenantId, agent: AgentId, given: Beat) =>
  tx.find(
    beaten,
    sql`/* orchestrator.agents.beat */
    with before as (
      select version from orchestrator.agents where tenant = ${tenant} and id = ${agent} for no key update
    )
    update orchestrator.agents as a set
      state = 'active', last_heartbeat_at = kernel.now(), clock_skew_ms = ${given.clockSkewMs},
      disk_free = ${given.diskFree}, capabilities = ${jsonb(given.capabilities)},
      previous_serial = case when certificate_serial = ${given.serial ?? null} then null else previous_serial end,
      version = a.version + case when state = 'active' and capabilities = ${jsonb(given.capabilities)} then 0 else 1 end
    from before
    where tenant = ${tenant} and id = ${agent} and ${speaks(given.serial)}
    returning certificate_not_after, a.version, before.version as version_before`,
  );
