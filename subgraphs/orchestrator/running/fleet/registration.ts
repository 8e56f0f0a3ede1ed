import { randomBytes } from 'node:crypto';
import { agentName, type Registered, type Renewed, registration, renewal } from '@landfall/agent/protocol/messages';
import { formatToken, tokenHash } from '@landfall/agent/protocol/token';
import type { Caller, Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, type Id, idOf, toId } from '@landfall/kernel/core/ids';
import type { Tx } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { failpoint } from '@landfall/kernel/system/failpoint';
import Type from 'typebox';
import * as agents from '../../catalogue/agents/agent.ts';
import { HEARTBEAT_MS } from '../../catalogue/agents/liveness.ts';
import * as environments from '../../catalogue/environments/environment.ts';
import * as targets from '../../catalogue/targets/target.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers } from '../../shared/scopes.ts';
import * as store from './agents.store.ts';
import { AGENT_CERTIFICATE_MS, type CertificateAuthority } from './certificate-authority.ts';
import * as tokens from './registration-tokens.store.ts';

const MAX_SKEW_MS = 5 * 60_000;
const DEFAULT_TTL_SECONDS = 900;

interface RegistrationDeps extends Pick<Deps, 'operation' | 'ids' | 'clock' | 'database'> {
  readonly authority: CertificateAuthority;
  readonly trustDomain: string;
  readonly agentUrl: string;
}

const skewOf = (clock: string, now: Date): number => Date.parse(clock) - now.getTime();

const unknownToken = (): Fault =>
  new Fault('AGT_TOKEN_INVALID', 'This registration token is unknown or has expired. Create a new one.');

/** Agent that registers. */
interface Applicant {
  readonly id: agents.AgentId;
  readonly name: string;
}

/** Consumes an agent's registration token; throws AGT_TOKEN_USED, AGT_TOKEN_INVALID, AGT_REGISTRATION_FAILED. */
const consume = async (tx: Tx, caller: Who, secret: string, agent: Applicant): Promise<tokens.RegistrationToken> => {
  const hash = tokenHash(secret);
  const token = await tokens.consume(tx, caller.tenant, hash, agent.id);
  if (token?.agentName === agent.name) return token;
  // The refusal rolls back the use of the token.
  if (token)
    throw new Fault(
      'AGT_REGISTRATION_FAILED',
      `This registration token is not for an agent called ${agent.name}. Create one for that name.`,
      { name: agent.name },
    );
  const known = await tokens.findByHash(tx, caller.tenant, hash);
  if (known?.usedAt) throw new Fault('AGT_TOKEN_USED', 'This registration token was used. Create a new one.');
  throw unknownToken();
};

/**
 * Checks that an agent may register again under its name. An offline agent, or one whose certificate expired, keeps its
 * targets, so the token must cover their environments.
 * @throws Fault AGT_REGISTRATION_FAILED
 */
const expectReturn = async (
  tx: Tx,
  caller: Who,
  name: string,
  known: { readonly id: agents.AgentId; readonly state: string; readonly hasExpired: boolean },
  { environmentIds }: tokens.RegistrationToken,
): Promise<void> => {
  if (known.state !== 'offline' && !known.hasExpired) throw store.duplicateName(name);
  const served = await targets.listByAgent(tx, caller.tenant, known.id);
  const outside = served.filter(({ environmentId }) => environmentIds && !environmentIds.includes(environmentId));
  if (outside.length > 0)
    throw new Fault(
      'AGT_REGISTRATION_FAILED',
      `The agent ${name} serves targets in environments that this token does not allow.`,
      { name, targets: outside.map((target) => ({ id: target.id, environmentId: target.environmentId })) },
    );
};

/** Creates the operations that register agents and renew their certificates. */
export const createRegistration = (deps: RegistrationDeps) => {
  const { operation, ids, clock, database, authority, trustDomain, agentUrl } = deps;
  const renewAfter = ({ notAfter }: { readonly notAfter: Date }): string =>
    new Date(notAfter.getTime() - AGENT_CERTIFICATE_MS / 3).toISOString();

  const spiffeIdOf = (tenant: string, agentId: string): string => `spiffe://${trustDomain}/${tenant}/agent/${agentId}`;

  return {
    createToken: operation({
      name: 'registrationToken.create',
      cost: 0,
      kind: 'write',
      scope: administers,
      input: Type.Object({
        name: agentName,
        ttlSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 86_400 })),
        environmentIds: Type.Optional(Type.Array(idOf('Environment'), { maxItems: 100 })),
      }),
      raises: ['RES_ENVIRONMENT_NOT_FOUND'],
      example: { name: 'harbour-1', environmentIds: [exampleId('Environment')] },
      prepare: () => authority.pin(),
      async run(caller, { name, ttlSeconds = DEFAULT_TTL_SECONDS, environmentIds }, tx, pin) {
        const known = await environments.listByIds(tx, caller.tenant, environmentIds ?? []);
        const missing = environmentIds?.find((id) => !known.some((environment) => environment.id === id));
        if (missing) throw environments.notFound(missing);
        const secret = randomBytes(32).toString('base64url');
        const id = toId(ids.uuid(), 'RegistrationToken');
        const input = {
          id,
          hash: tokenHash(secret),
          agentName: name,
          ttlSeconds,
          environmentIds: environmentIds ?? null,
        };
        const token = await tokens.insert(tx, caller.tenant, input, caller.subject);
        await publishEvent(tx, caller, 'registrationToken.create', 'RegistrationToken', { id, version: 1 }, { name });
        const value = formatToken({ secret, pin });
        return { id, value, agentUrl, expiresAt: token.expiresAt };
      },
    }),

    /** Caller of a registration: its only credential is the token, which determines the tenant. */
    async callerOf(secret: string, correlationId: string): Promise<Caller> {
      const owner = await database.system.read((query) => tokens.findOwner(query, tokenHash(secret)));
      if (!owner) throw unknownToken();
      return {
        tenant: owner.tenant,
        subject: 'registration',
        clientId: 'agent',
        scopes: new Set(),
        kind: 'agent',
        correlationId,
        assertedTenants: [],
      };
    },

    register: operation({
      name: 'agent.register',
      cost: 0,
      kind: 'write',
      scope: [],
      callers: ['agent'],
      input: registration,
      raises: ['AGT_TOKEN_INVALID', 'AGT_TOKEN_USED', 'AGT_REGISTRATION_FAILED', 'AGT_CERTIFICATE_FAILED'],
      example: {
        token: 'none',
        csr: '-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----',
        name: 'agent-1',
        version: '1.0.0',
        capabilities: {},
        hostFacts: { platform: 'linux/amd64', hostname: 'host', cpus: 1 },
        clock: '2026-01-15T09:00:00Z',
      },
      // Creates the authority where there is none yet, so that the signature below needs no connection of its own.
      prepare: () => authority.certificate(),
      async run(caller, input, tx, ca): Promise<Registered> {
        const known = await store.lockByName(tx, caller.tenant, input.name);
        const agentId = known?.id ?? toId(ids.uuid(), 'Agent');
        const token = await consume(tx, caller, input.token, { id: agentId, name: input.name });
        if (known) await expectReturn(tx, caller, input.name, known, token);
        const clockSkewMs = skewOf(input.clock, clock.now());
        if (Math.abs(clockSkewMs) > MAX_SKEW_MS)
          throw new Fault('AGT_REGISTRATION_FAILED', 'The agent’s clock is more than five minutes off. Set it.', {
            clockSkewMs,
          });
        const spiffeId = spiffeIdOf(caller.tenant, agentId);
        const certificate = await authority.sign(input.csr, { tenant: caller.tenant, agentId, spiffeId });
        const value: store.NewAgent = {
          id: agentId,
          name: input.name,
          softwareVersion: input.version,
          spiffeId,
          certificateNotAfter: certificate.notAfter,
          publicKey: certificate.publicKey,
          serial: certificate.serial,
          capabilities: input.capabilities,
          hostFacts: input.hostFacts,
          environmentIds: token.environmentIds,
          clockSkewMs,
        };
        const agent = known
          ? await store.reRegister(tx, caller.tenant, value)
          : await store.insert(tx, caller.tenant, value, caller.subject);
        await failpoint('agent.register.written');
        // From here on the previous certificate is no longer accepted.
        if (known)
          await publishEvent(tx, caller, 'agent.revokeCertificate', 'Agent', agent, {
            name: agent.name,
            serial: known.certificateSerial,
            token: token.id,
          });
        await publishEvent(tx, caller, 'agent.register', 'Agent', agent, {
          name: agent.name,
          token: token.id,
          serial: certificate.serial,
          ...(known && { returned: known.state }),
        });
        return {
          agentId,
          heartbeatMs: HEARTBEAT_MS,
          certificate: certificate.pem,
          ca,
          renewAfter: renewAfter(certificate),
        };
      },
    }),

    renew: operation({
      name: 'agent.renewCertificate',
      cost: 0,
      kind: 'write',
      scope: [],
      callers: ['agent'],
      input: renewal,
      raises: ['AGT_CERTIFICATE_FAILED', 'RES_AGENT_NOT_FOUND', 'AUTH_AGENT_CERT_INVALID'],
      example: { csr: '-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----' },
      prepare: () => authority.certificate(),
      async run(caller, { csr }, tx, ca): Promise<Renewed> {
        const agentId: Id<'Agent'> = toId(caller.subject, 'Agent');
        const spiffeId = spiffeIdOf(caller.tenant, agentId);
        const certificate = await authority.sign(csr, { tenant: caller.tenant, agentId, spiffeId });
        const { serial, notAfter, publicKey } = certificate;
        const presented = caller.certificateSerial;
        const agent = await store.renew(tx, caller.tenant, agentId, { serial, presented, notAfter, publicKey });
        if (!agent) throw await agents.inactiveAgentFault(tx, caller.tenant, agentId);
        await publishEvent(tx, caller, 'agent.renewCertificate', 'Agent', agent, { serial });
        return {
          certificate: certificate.pem,
          ca,
          renewAfter: renewAfter(certificate),
        };
      },
    }),
  };
};
