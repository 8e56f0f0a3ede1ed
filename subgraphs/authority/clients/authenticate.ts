import { timingSafeEqual, X509Certificate } from 'node:crypto';
import { createBatch } from '@landfall/kernel/core/batch';
import { isId } from '@landfall/kernel/core/ids';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import { type Certificate, thumbprintOf } from '@landfall/kernel/http/client-certificates';
import type { Deps } from '@landfall/kernel/module';
import type { Tenant } from '../tenants/tenants.ts';
import { createClientCache } from './client-cache.ts';
import * as store from './clients.store.ts';
import {
  type AuthMethod,
  type Credentials,
  isPublicClient,
  type PresentedCredentials,
  readCredentials,
  refusedClient,
} from './credentials.ts';
import { isTlsSubjectKind, namesClient } from './tls-subject.ts';

/** Credentials of a client in a request (RFC 6749 2.3.1, RFC 8705 2). */
interface ClientProof extends Credentials {
  readonly certificate?: Certificate | undefined;
}

export type AuthenticatedClient = store.Client & { readonly home: Tenant };

/**
 * Authenticates an OAuth client by its credentials.
 * @throws Fault invalid_client (401), invalid_request (400) when two methods are used at once
 */
export type Authenticate = (proof: ClientProof) => Promise<AuthenticatedClient>;

/** Client with its credentials, decoded once for each read. */
interface Known {
  readonly client: AuthenticatedClient;
  /** SHA-256 of exactly two secrets; missing ones are dummies. */
  readonly secrets: readonly Buffer[];
}

/** Messages by the presented credential. */
const REFUSALS = {
  nothing: 'The client must authenticate.',
  certificate: 'The client is unknown, or its certificate is not the one that is registered.',
  secret: 'The client is unknown or its secret is wrong.',
} as const;

/** Dummy values, so that an unknown client costs the same time. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000';
const NO_SECRET = Buffer.alloc(32);
const NO_SECRETS = [NO_SECRET, NO_SECRET];

/** Parsed certificates: a connection presents the same one with each request. */
const parsed = new WeakMap<Buffer, X509Certificate>();

const parse = ({ raw }: Certificate): X509Certificate | undefined => {
  const known = parsed.get(raw);
  if (known) return known;
  try {
    const certificate = new X509Certificate(raw);
    parsed.set(raw, certificate);
    return certificate;
  } catch {
    return undefined;
  }
};

const allows = (client: store.Client, method: AuthMethod): boolean => client.authMethods.includes(method);

/** Compares with exactly two secrets, in constant time. */
const hasSecret = (secrets: readonly Buffer[], secret: string): boolean => {
  const presented = sha256Bytes(secret);
  let isOne = false;
  for (const hash of secrets) isOne = timingSafeEqual(hash, presented) || isOne;
  return isOne;
};

/** Whether the certificate's chain is valid and it names the client as registered (RFC 8705 2.1). */
const isNamedBy = ({ tlsSubjectKind: kind, tlsSubject: value }: store.Client, certificate: Certificate): boolean => {
  const x509 = certificate.error === undefined && isTlsSubjectKind(kind) && value !== null && parse(certificate);
  return x509 ? namesClient(x509, { kind, value }) : false;
};

/** Whether the certificate itself is registered and valid now; its chain is ignored (RFC 8705 2.2). */
const isRegistered = ({ certificates }: store.Client, certificate: Certificate, now: Date): boolean => {
  const thumbprint = thumbprintOf(certificate);
  if (!certificates.map((known) => constantTimeEqual(known, thumbprint)).includes(true)) return false;
  const x509 = parse(certificate);
  return x509 !== undefined && now >= x509.validFromDate && now <= x509.validToDate;
};

const hasCertificate = (client: store.Client, certificate: Certificate, now: Date): boolean =>
  (allows(client, 'tls_client_auth') && isNamedBy(client, certificate)) ||
  (allows(client, 'self_signed_tls_client_auth') && isRegistered(client, certificate, now));

const knownOf = (found: store.Credentials): Known => {
  const { secretHashes, tenantId: id, tenantName: name, tenantActive, tenantPlans, tenantLicense, ...client } = found;
  const home = { tenant: client.tenant, id, name, active: tenantActive, plans: tenantPlans, license: tenantLicense };
  const secrets = secretHashes.map((hash) => Buffer.from(hash, 'hex'));
  return { client: { ...client, home }, secrets: [...secrets, ...NO_SECRETS].slice(0, 2) };
};

/**
 * Whether a client is active and authenticated; the secret is compared in every case, so that timing reveals nothing.
 */
const isAuthenticated = (
  known: Known | undefined,
  { claimed, certificate }: { readonly claimed: PresentedCredentials; readonly certificate: Certificate | undefined },
  clock: Deps['clock'],
): known is Known => {
  const isOneOfIts = claimed.method !== 'without_secret' && hasSecret(known?.secrets ?? NO_SECRETS, claimed.secret);
  if (!known?.client.active || !known.client.home.active) return false;
  return claimed.method === 'without_secret'
    ? isPublicClient(known.client) ||
        (certificate !== undefined && hasCertificate(known.client, certificate, clock.now()))
    : isOneOfIts && allows(known.client, claimed.method);
};

/** Authenticates clients by the methods each is registered for. */
export const createAuthenticate = ({
  database,
  clock,
  hints,
}: Pick<Deps, 'database' | 'clock' | 'hints'>): Authenticate => {
  const known = createClientCache<Known>(hints);
  const find = createBatch<string, Known | undefined>(async (ids) => {
    const epoch = known.epoch();
    const found = await database.system.read((query) => store.listCredentialsAnywhere(query, ids));
    const byId = new Map<string, Known>(found.map((row) => [row.id, knownOf(row)]));
    for (const [id, client] of byId) known.keep(epoch, id, client);
    return ids.map((id) => byId.get(id));
  });

  return async ({ authorization, form, certificate }) => {
    const claimed = readCredentials({ authorization, form });
    const presented = { claimed, certificate };
    const recalled = known.recall(claimed.clientId);
    if (recalled && isAuthenticated(recalled, presented, clock)) return recalled.client;
    const found = await find(isId(claimed.clientId, 'Client') ? claimed.clientId : NO_CLIENT);
    if (isAuthenticated(found, presented, clock)) return found.client;
    throw refusedClient(
      REFUSALS[claimed.method === 'without_secret' ? (certificate ? 'certificate' : 'nothing') : 'secret'],
    );
  };
};
