import { X509Certificate } from 'node:crypto';
import { createBatch } from '@landfall/kernel/batch';
import { type Certificate, thumbprintOf } from '@landfall/kernel/client-certificates';
import { sha256Bytes } from '@landfall/kernel/digest';
import { isId } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import { constantTimeEqual } from '@landfall/kernel/secrets';
import type { Tenant } from '../tenants.store.ts';
import * as store from './clients.store.ts';
import { type AuthMethod, type Claimed, type Credentials, readCredentials, refusedClient } from './credentials.ts';
import { createKnownClients } from './known-clients.ts';
import { isTlsSubjectKind, namesClient } from './tls-subject.ts';

/** What a request brings to prove its client (RFC 6749 2.3.1, RFC 8705 2). */
export interface ClientProof extends Credentials {
  readonly certificate?: Certificate | undefined;
}

/** A client that is who it says, and that may act, with its own tenant. */
export type AuthenticatedClient = store.Client & { readonly home: Tenant };

/** @throws Fault invalid_client (401), invalid_request (400) when two methods are used at once */
export type Authenticate = (proof: ClientProof) => Promise<AuthenticatedClient>;

type Known = store.Credentials;

/** Stands in for what does not exist, so that looking for it costs the same. */
const NO_CLIENT = '00000000-0000-0000-0000-000000000000';
const NO_SECRET = '0'.repeat(64);

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

const allows = (client: Known | undefined, method: AuthMethod): boolean =>
  client?.authMethods.includes(method) ?? false;

/** Two are compared whatever there are, in a time that tells nothing. */
const hasSecret = (client: Known | undefined, secret: string): boolean => {
  const presented = sha256Bytes(secret);
  const hashes = [...(client?.secretHashes ?? []), NO_SECRET, NO_SECRET].slice(0, 2);
  return hashes.map((hash) => constantTimeEqual(Buffer.from(hash, 'hex'), presented)).includes(true);
};

/** RFC 8705 2.1: the chain is good, and the certificate names the client as registered. */
const isNamedBy = ({ tlsSubjectKind: kind, tlsSubject: value }: Known, certificate: Certificate): boolean => {
  const x509 = certificate.error === undefined && isTlsSubjectKind(kind) && value !== null && parse(certificate);
  return x509 ? namesClient(x509, { kind, value }) : false;
};

/** RFC 8705 2.2: no chain counts, only the certificate itself, while it lasts. */
const isRegistered = ({ certificates }: Known, certificate: Certificate, now: Date): boolean => {
  const thumbprint = thumbprintOf(certificate);
  if (!certificates.map((known) => constantTimeEqual(known, thumbprint)).includes(true)) return false;
  const x509 = parse(certificate);
  return x509 !== undefined && now >= x509.validFromDate && now <= x509.validToDate;
};

const hasCertificate = (client: Known | undefined, certificate: Certificate, now: Date): boolean =>
  client !== undefined &&
  ((allows(client, 'tls_client_auth') && isNamedBy(client, certificate)) ||
    (allows(client, 'self_signed_tls_client_auth') && isRegistered(client, certificate, now)));

const asAuthenticated = (known: Known): AuthenticatedClient => {
  const {
    secretHashes: _hashes,
    tenantId: id,
    tenantName: name,
    tenantActive,
    tenantPlans,
    tenantLicense,
    ...client
  } = known;
  const home = { tenant: client.tenant, id, name, active: tenantActive, plans: tenantPlans, license: tenantLicense };
  return { ...client, home };
};

interface Presented {
  readonly claimed: Claimed;
  readonly certificate: Certificate | undefined;
}

const fits = (client: Known | undefined, { claimed, certificate }: Presented, now: Date): boolean =>
  claimed.method === 'certificate'
    ? certificate !== undefined && hasCertificate(client, certificate, now)
    : [hasSecret(client, claimed.secret), allows(client, claimed.method)].every(Boolean);

/** Authenticates clients at every endpoint of the protocols, in the ways that each is registered for and no other. */
export const createAuthenticate = ({
  database,
  clock,
  hints,
}: Pick<Deps, 'database' | 'clock' | 'hints'>): Authenticate => {
  const known = createKnownClients<Known>(hints);
  const find = createBatch<string, Known | undefined>(async (ids) => {
    const epoch = known.epoch();
    const found = await database.system.read((query) => store.listCredentialsAnywhere(query, ids));
    for (const client of found) known.keep(epoch, client.id, client);
    const byId = new Map<string, Known>(found.map((client) => [client.id, client]));
    return ids.map((id) => byId.get(id));
  });

  return async ({ certificate, ...credentials }) => {
    const claimed = readCredentials(credentials, certificate !== undefined);
    const isLetIn = (client: Known | undefined): client is Known =>
      client !== undefined &&
      [client.active, client.tenantActive, fits(client, { claimed, certificate }, clock.now())].every(Boolean);
    const recalled = known.recall(claimed.clientId);
    if (isLetIn(recalled)) return asAuthenticated(recalled);
    const client = await find(isId(claimed.clientId, 'Client') ? claimed.clientId : NO_CLIENT);
    const isRight = fits(client, { claimed, certificate }, clock.now());
    if (!client?.active || !client.tenantActive || !isRight)
      throw refusedClient(
        claimed.method === 'certificate'
          ? 'The client is unknown, or its certificate is not the one that is registered.'
          : 'The client is unknown or its secret is wrong.',
      );
    return asAuthenticated(client);
  };
};
