import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import * as store from './agents.store.ts';

export const {
  agents,
  requestHeartbeat,
  find,
  findPlatformOfTarget,
  findStatus,
  get,
  hasCertificate,
  lockActive,
  list,
  listByIds,
  notFound,
  serves,
  takeHeartbeatRequest,
} = store;
export type Agent = store.Agent;
export type AgentId = store.AgentId;

export const certificateInvalid = (message: string): Fault => new Fault('AUTH_AGENT_CERT_INVALID', message);

export const inactiveCertificateFault = (): Fault =>
  certificateInvalid('This certificate belongs to no agent that is active.');

/** Fault of an agent that may no longer write: it was revoked since its request was admitted, or never existed. */
export const inactiveAgentFault = async (query: Query, tenant: TenantId, id: AgentId): Promise<Fault> =>
  (await find(query, tenant, id))
    ? inactiveCertificateFault()
    : new Fault('RES_AGENT_NOT_FOUND', 'This agent is not registered.');

export const revokeRefusal = ({ state }: Pick<Agent, 'state'>): Fault | undefined =>
  state === 'revoked' ? new Fault('RES_CONFLICT', 'The agent is revoked already.', { state, allowed: [] }) : undefined;
