import { timingSafeEqual, X509Certificate } from 'node:crypto';
import { createBatch } from '@landfall/kernel/core/batch';
import { isId } from '@landfall/kernel/core/ids';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';
import { type Certificate, thumbprintOf } from '@landfall/kernel/http/client-certificates';
import type { Deps } from '@landfall/kernel/module';
import type { Tenant } from '../tenants/tenants.store.ts';
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

/** What a request brings to prove its client (RFC 6749 2.3.1, RFC 8705 2). */
export interface ClientProof extends Credentials {
  readonly certificate?: Certificate | undefined;
}

/** A client that is who it says, and that may act, with its own tenant. */
export type AuthenticatedClient = store.Client & { readonly home: Tenant };

/** @throws Fault invalid_client (401), invalid_request (400) when two methods are used at once */
export type Authenticate = (proof: ClientProof) => Promise<AuthenticatedClient>;

/** A client with what proves it, made once each time that it is read. */
interface Known {
  readonly client: AuthenticatedClient;
  /** SHA-256 of two secrets, whatever there are. */
  readonly secrets: readonly Buffer[];
}

/** Refusals by what a client has shown. */
const REFUSALS = {
  nothing: 'The client must authenticate.',
  certificate: 'The client is unknown, or its certificate is not the one that is registered.',
  secret: 'The client is unknown or its secret is wrong.',
} as const;

/** Stands in for what does not exist, so that looking for it costs the same. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000';
const NO_SECRET = Buffer.alloc(32);
const NO_SECRETS = [NO_SECRET, NO_SECRET];

/** Certificates as they were parsed: one connection brings the same with each request. */
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

/** Two are compared whatever there are, in a time that tells nothing. */
const hasSecret = (secrets: readonly Buffer[], secret: string): boolean => {
  const presented = sha256Bytes(secret);
  let isOne = false;
  for (const hash of secrets) isOne = timingSafeEqual(hash, presented) || isOne;
  return isOne;
};

/** RFC 8705 2.1: the chain is good, and the certificate names the client as registered. */
const isNamedBy = ({ tlsSubjectKind: kind, tlsSubject: value }: store.Client, certificate: Certificate): boolean => {
  const x509 = certificate.error === undefined && isTlsSubjectKind(kind) && value !== null && parse(certificate);
  return x509 ? namesClient(x509, { kind, value }) : false;
};

/** RFC 8705 2.2: no chain counts, only the certificate itself, while it lasts. */
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

interface Presented {
  readonly claimed: PresentedCredentials;
  readonly certificate: Certificate | undefined;
}

/** Whether a client may act and has proved that it is this one; the secret is looked at whatever else is wrong. */
const isAuthenticated = (
  known: Known | undefined,
  { claimed, certificate }: Presented,
  clock: Deps['clock'],
): known is Known => {
  const isOneOfIts = claimed.method !== 'without_secret' && hasSecret(known?.secrets ?? NO_SECRETS, claimed.secret);
  if (!known?.client.active || !known.client.home.active) return false;
  return claimed.method === 'without_secret'
    ? isPublicClient(known.client) ||
        (certificate !== undefined && hasCertificate(known.client, certificate, clock.now()))
    : isOneOfIts && allows(known.client, claimed.method);
};

/** Authenticates clients at every endpoint of the protocols, in the ways that each is registered for and no other. */
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
