import { X509Certificate } from 'node:crypto';
import { type HeartbeatResponse, heartbeat as heartbeatMessage } from '@landfall/agent/protocol/messages';
import type { Caller, Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { isTenantId, type TenantId, toId } from '@landfall/kernel/core/ids';
import type { Certificate } from '@landfall/kernel/http/client-certificates';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import * as agents from '../../catalogue/agents/agent.ts';
import { HEARTBEAT_MS, LEASE_SECONDS } from '../../catalogue/agents/liveness.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { readsById } from '../../shared/read-operations.ts';
import { reads } from '../../shared/scopes.ts';
import { observe } from '../observations/observations.ts';
import { renewLeases } from '../tasks/tasks.ts';
import * as store from './agents.store.ts';
import { AGENT_CERTIFICATE_MS } from './certificate-authority.ts';

/** Tenant and agent id in the SPIFFE id of an agent's certificate. */
const nameIn = (certificate: X509Certificate): { tenant: TenantId; agentId: string } | undefined => {
  const { tenant, agentId } =
    /^URI:spiffe:\/\/[^/]+\/(?<tenant>[a-z0-9-]+)\/agent\/(?<agentId>[0-9a-f-]{36})$/.exec(
      certificate.subjectAltName ?? '',
    )?.groups ?? {};
  return tenant !== undefined && agentId !== undefined && isTenantId(tenant) ? { tenant, agentId } : undefined;
};

/** Contents of a certificate, parsed once for each connection. */
interface Reading {
  readonly name: ReturnType<typeof nameIn>;
  readonly serial: string;
  readonly notAfter: Date;
}

const readings = new WeakMap<Certificate, Reading>();

const readingOf = (certificate: Certificate): Reading => {
  const known = readings.get(certificate);
  if (known) return known;
  const read = new X509Certificate(certificate.raw);
  const reading = { name: nameIn(read), serial: read.serialNumber.toLowerCase(), notAfter: read.validToDate };
  readings.set(certificate, reading);
  return reading;
};

const expired = (): Fault =>
  new Fault('AUTH_AGENT_CERT_EXPIRED', 'The agent’s certificate has expired. Register again with a new token.');

/** Caller as its certificate names it, not yet checked for revocation. */
type Claim = Who & { readonly certificateSerial: string };

/** Reads tenant, agent and serial of a certificate that TLS has verified. */
const claimOf = (certificate: Certificate | undefined, correlationId: string, now: Date): Claim => {
  if (!certificate) throw agents.certificateInvalid('No client certificate. Register first.');
  if (certificate.error === 'CERT_HAS_EXPIRED') throw expired();
  if (certificate.error !== undefined)
    throw agents.certificateInvalid(`The client certificate is not ours: ${certificate.error}.`);
  const { name, serial, notAfter } = readingOf(certificate);
  // A connection may outlive the certificate that opened it, and TLS checks it once.
  if (notAfter <= now) throw expired();
  if (!name) throw agents.inactiveCertificateFault();
  return {
    tenant: name.tenant,
    subject: name.agentId,
    clientId: 'agent',
    scopes: new Set(),
    kind: 'agent',
    correlationId,
    assertedTenants: [],
    certificateSerial: serial,
  };
};

/** Creates the operations of agents: authentication, heartbeats and observations. */
export const createAgents = ({ operation, clock, database }: Pick<Deps, 'operation' | 'clock' | 'database'>) => ({
  list: operation({
    name: 'agent.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({}),
    run: (caller, _input, query) => agents.list(query, caller.tenant),
  }),

  get: operation({
    name: 'agent.get',
    ...readsById('Agent', 'RES_AGENT_NOT_FOUND'),
    scope: reads,
    run: (caller, { id }, query) => agents.get(query, caller.tenant, id),
  }),

  /**
   * Caller of the agent named by a certificate of the platform's authority. The operation must check for revocation.
   * @throws Fault AUTH_AGENT_CERT_EXPIRED, AUTH_AGENT_CERT_INVALID
   */
  claim: (certificate: Certificate | undefined, correlationId: string): Claim =>
    claimOf(certificate, correlationId, clock.now()),

  /** Authenticates an agent that is not revoked; throws Fault AUTH_AGENT_CERT_EXPIRED, AUTH_AGENT_CERT_INVALID. */
  async identify(certificate: Certificate | undefined, correlationId: string): Promise<Caller> {
    const claimed = claimOf(certificate, correlationId, clock.now());
    const { tenant, subject, certificateSerial } = claimed;
    const agent = await database.system.read((query) => store.identify(query, tenant, subject, certificateSerial));
    if (!agent || agent.state === 'revoked') throw agents.inactiveCertificateFault();
    return claimed;
  },

  heartbeat: operation({
    name: 'agent.heartbeat',
    kind: 'write',
    isBeat: true,
    scope: [],
    callers: ['agent'],
    input: heartbeatMessage,
    raises: ['RES_AGENT_NOT_FOUND', 'AUTH_AGENT_CERT_INVALID'],
    example: { held: [], capabilities: {}, observed: [], diskFree: 0, clock: '2026-01-15T09:00:00Z' },
    async run(caller, { held, capabilities, observed, diskFree, clock: agentClock }, tx): Promise<HeartbeatResponse> {
      const id = toId(caller.subject, 'Agent');
      const now = clock.now();
      const clockSkewMs = Math.max(-2_147_483_648, Math.min(2_147_483_647, Date.parse(agentClock) - now.getTime()));
      const agent = await store.sendHeartbeat(tx, caller.tenant, id, {
        serial: caller.certificateSerial,
        clockSkewMs,
        diskFree,
        capabilities,
      });
      if (!agent) throw await agents.inactiveAgentFault(tx, caller.tenant, id);
      if (agent.version !== agent.versionBefore)
        await publishEvent(tx, caller, 'agent.active', 'Agent', { id, version: agent.version });
      const leases = held.length > 0 ? await renewLeases(tx, caller.tenant, id, held, LEASE_SECONDS) : [];
      // Targets after tasks: a report of the end of a task locks them in this order.
      await observe(tx, caller, id, observed);
      const leaseIds = new Set<string>(leases.map((lease) => lease.id));
      return {
        now: now.toISOString(),
        renewAfter: new Date(agent.certificateNotAfter.getTime() - AGENT_CERTIFICATE_MS / 3).toISOString(),
        heartbeatMs: HEARTBEAT_MS,
        cancel: held.map(({ taskId }) => taskId).filter((taskId) => !leaseIds.has(taskId)),
        leases: leases.map((lease) => ({
          taskId: lease.id,
          fence: lease.fence,
          deadline: lease.deadlineAt.toISOString(),
        })),
        leaseMs: LEASE_SECONDS * 1_000,
      };
    },
  }),
});

export type Agents = ReturnType<typeof createAgents>;
