import type { HttpClient } from '@landfall/kernel/http/client';
import { isRevoked } from '@landfall/kernel/identity/denylist';
import type { Dpop } from '@landfall/kernel/identity/dpop';
import { createEdge, type Edge } from '@landfall/kernel/identity/edge';
import { createKeys, type KeySet } from '@landfall/kernel/identity/keys';
import type { Deps } from '@landfall/kernel/module';
import type { FastifyInstance } from 'fastify';
import type { Identify } from '../http/listener.ts';
import { createAuthorityClient } from '../session/authority-client.ts';
import { consoleClient } from '../session/console-client.ts';
import { registerSession } from '../session/routes.ts';
import { createSessions } from '../session/session.ts';
import { publicUrls } from '../settings/process-settings.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import { identifyCaller } from './identification.ts';
import { withOpenPolicies } from './open-policies.ts';

interface AuthenticationOptions {
  readonly deps: Deps;
  readonly settings: GatewaySettings;
  /** Public keys of the authority. */
  readonly keySet: KeySet;
  /** Origin of the authority for calls from this process. */
  readonly authorityOrigin: string;
  /** HTTP client for the authority, unless the common one is used. */
  readonly authorityHttp?: HttpClient | undefined;
  readonly dpop: Dpop;
}

/** Identifies external callers by bearer token or console session, and serves the session's routes. */
export interface CallerAuthentication {
  readonly edge: Edge;
  readonly identify: Identify;
  /** Identifies the caller again during a long answer, which neither uses nor refreshes a session. */
  readonly identifyStream: Identify;
  /** Registers the session's routes. */
  register(app: FastifyInstance): Promise<void>;
}

export const createAuthentication = ({ deps, settings, ...options }: AuthenticationOptions): CallerAuthentication => {
  const { database, secrets, clock, ids, http, log } = deps;
  const { keySet, authorityOrigin, authorityHttp = http, dpop } = options;
  const { baseUrl, authUrl } = publicUrls(settings);
  const isSecure = baseUrl.startsWith('https:');
  const keys = createKeys(keySet, { clock });
  const client = consoleClient(secrets, baseUrl);
  const authority = createAuthorityClient({
    http: authorityHttp,
    clock,
    keys,
    client,
    issuer: authUrl,
    origin: authorityOrigin,
    newCorrelationId: ids.uuid,
  });
  const { sessionMs, sessionIdleMs, audience } = settings;
  const { refresh } = authority;
  const sessions = createSessions({ database, secrets, clock, refresh, sessionMs, sessionIdleMs });
  const edge = createEdge({
    issuer: authUrl,
    audience,
    keys,
    clock,
    isRevoked: (names) => database.system.read((query) => isRevoked(query, names)),
    proofs: { dpop, baseUrl },
  });
  return {
    edge,
    identify: withOpenPolicies(identifyCaller({ edge, find: sessions.find, isSecure }), settings),
    identifyStream: withOpenPolicies(identifyCaller({ edge, find: sessions.peek, isSecure }), settings),
    register: (app) =>
      registerSession(app, { edge, sessions, authority, client, clock, secrets, log, issuer: authUrl, isSecure }),
  };
};
