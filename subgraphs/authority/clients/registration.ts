import { X509Certificate } from 'node:crypto';
import { type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { thumbprintOf } from '@landfall/kernel/http/client-certificates';
import { freeText, oneOf } from '@landfall/kernel/operation/input';
import Type, { type Static } from 'typebox';
import Format from 'typebox/format';
import { SCOPES } from '../protocol/scopes.ts';
import type { Registration } from './clients.store.ts';
import { AUTH_METHODS, isPublicClient } from './credentials.ts';
import { GRANTS } from './grant-types.ts';
import { isOrigin, isRedirectUri, isResource } from './redirect-uris.ts';
import { isTlsSubject, isTlsSubjectKind, TLS_SUBJECT_KINDS } from './tls-subject.ts';

Format.Set('redirect-uri', isRedirectUri);
Format.Set('resource', isResource);
Format.Set('web-origin', isOrigin);

const uris = (format: string) =>
  Type.Array(Type.String({ maxLength: 2_000, format }), { maxItems: 20, uniqueItems: true });

/** PEM certificate: under 3,000 characters for an RSA key with 4096 bits. */
const pem = Type.String({ maxLength: 8_000 });

const parts = {
  name: freeText(100),
  grants: Type.Array(oneOf(...GRANTS), { minItems: 1, uniqueItems: true }),
  scopes: Type.Array(oneOf(...SCOPES), { minItems: 1, uniqueItems: true }),
  redirectUris: uris('redirect-uri'),
  postLogoutRedirectUris: uris('redirect-uri'),
  allowedOrigins: uris('web-origin'),
  resources: uris('resource'),
  authMethods: Type.Array(oneOf(...AUTH_METHODS), { minItems: 1, uniqueItems: true }),
  tlsSubject: Type.Object({ kind: oneOf(...TLS_SUBJECT_KINDS), value: freeText(1_000) }),
  certificates: Type.Array(pem, { maxItems: 10 }),
  dpopBound: Type.Boolean(),
  tlsBound: Type.Boolean(),
  requiresPushedRequests: Type.Boolean(),
  requiresConsent: Type.Boolean(),
  canIntrospect: Type.Boolean(),
  plan: Type.String({ maxLength: 100 }),
};

const { name, grants, scopes, ...others } = parts;

export const registration = Type.Intersect([Type.Object({ name, grants, scopes }), Type.Partial(Type.Object(others))]);

/** Input for a change; omitted fields stay. */
export const registrationChanges = Type.Partial(Type.Object(parts));

type Changes = Static<typeof registrationChanges>;

const NEW: Registration = {
  name: '',
  grants: [],
  scopes: [],
  redirectUris: [],
  postLogoutRedirectUris: [],
  allowedOrigins: [],
  canIntrospect: false,
  servesEveryTenant: false,
  authMethods: ['client_secret_basic', 'client_secret_post'],
  tlsSubjectKind: null,
  tlsSubject: null,
  certificates: [],
  dpopBound: false,
  tlsBound: false,
  requiresPar: false,
  requiresConsent: false,
  resources: [],
  plan: null,
};

const fault = (field: string, message: string, code: FieldFault['code'] = 'VAL_INVALID_VALUE'): FieldFault => ({
  field,
  message,
  code,
});

const thumbprint = (text: string): string | undefined => {
  try {
    return thumbprintOf(new X509Certificate(text));
  } catch {
    return undefined;
  }
};

interface Reading {
  readonly is: Registration;
  readonly faults: readonly FieldFault[];
}

/** Applies the certificate settings; those of unused methods are dropped. */
const applyTls = (previous: Registration, { tlsSubject, certificates }: Changes): Reading => {
  const thumbprints = certificates?.map(thumbprint);
  const faults = (thumbprints ?? []).flatMap((each, index) =>
    each === undefined ? [fault(`certificates.${index}`, 'is not a certificate in PEM', 'VAL_INVALID_FORMAT')] : [],
  );
  const [isNamed, isListed] = ['tls_client_auth', 'self_signed_tls_client_auth'].map((method) =>
    previous.authMethods.includes(method),
  );
  if (tlsSubject && !isNamed) faults.push(fault('tlsSubject', 'needs authMethods tls_client_auth'));
  if (certificates && certificates.length > 0 && !isListed)
    faults.push(fault('certificates', 'need authMethods self_signed_tls_client_auth'));
  const subject = tlsSubject ?? { kind: previous.tlsSubjectKind, value: previous.tlsSubject };
  const thumbprintsAfter = thumbprints?.filter((each) => each !== undefined) ?? previous.certificates;
  return {
    is: {
      ...previous,
      tlsSubjectKind: isNamed ? subject.kind : null,
      tlsSubject: isNamed ? subject.value : null,
      certificates: isListed ? [...new Set(thumbprintsAfter)] : [],
    },
    faults,
  };
};

const plainOf = (changes: Changes): Partial<Registration> => {
  const { tlsSubject: _subject, certificates: _certificates, plan: _plan, requiresPushedRequests, ...same } = changes;
  return { ...same, ...(requiresPushedRequests !== undefined && { requiresPar: requiresPushedRequests }) };
};

const isSecret = (method: string): boolean => method.startsWith('client_secret_');

export const usesSecret = ({ authMethods }: Pick<Registration, 'authMethods'>): boolean => authMethods.some(isSecret);

/** Grants that need an authenticated client. */
const CONFIDENTIAL_GRANTS = ['client_credentials', 'token_exchange', 'password'];

/** Rules for public clients (rulings 69). */
const publicFaults = (is: Registration): FieldFault[] => {
  if (!isPublicClient(is)) return [];
  const grant = is.grants.find((name) => CONFIDENTIAL_GRANTS.includes(name));
  return [
    ...(is.authMethods.length > 1 ? [fault('authMethods', 'none excludes every other method')] : []),
    ...(grant === undefined ? [] : [fault('grants', `${grant} is not for a client without authentication`)]),
    ...(is.canIntrospect ? [fault('canIntrospect', 'is not for a client without authentication')] : []),
  ];
};

const wholeFaults = (is: Registration): FieldFault[] => {
  const signsPeopleIn = is.grants.includes('authorization_code');
  const { tlsSubjectKind: kind, tlsSubject: value } = is;
  const rules: readonly (readonly [boolean, FieldFault])[] = [
    [
      signsPeopleIn && is.redirectUris.length === 0,
      fault('redirectUris', 'is required for authorization_code', 'VAL_REQUIRED_FIELD'),
    ],
    [
      is.authMethods.includes('tls_client_auth') && value === null,
      fault('tlsSubject', 'is required for tls_client_auth', 'VAL_REQUIRED_FIELD'),
    ],
    [
      isTlsSubjectKind(kind) && value !== null && !isTlsSubject({ kind, value }),
      fault('tlsSubject.value', 'is not a valid subject of its kind', 'VAL_INVALID_FORMAT'),
    ],
    [
      is.authMethods.includes('self_signed_tls_client_auth') && is.certificates.length === 0,
      fault('certificates', 'is required for self_signed_tls_client_auth', 'VAL_REQUIRED_FIELD'),
    ],
    [is.requiresPar && !signsPeopleIn, fault('requiresPushedRequests', 'needs grants authorization_code')],
    [
      is.dpopBound && is.tlsBound,
      fault('tlsBound', 'excludes dpopBound: a token is bound to a key or to a certificate'),
    ],
  ];
  return rules.flatMap(([isBroken, broken]) => (isBroken ? [broken] : []));
};

/** Applies changes to a registration; throws a Fault VAL_* that names every field that does not fit. */
export const applyChanges = (previous: Registration, changes: Changes, plans: readonly string[]): Registration => {
  const plan = changes.plan === undefined ? previous.plan : changes.plan || null;
  const { is, faults } = applyTls({ ...previous, ...plainOf(changes), plan }, changes);
  const isNewPlan = plan !== null && plan !== previous.plan && !plans.includes(plan);
  const [first, ...rest] = [
    ...faults,
    ...[...wholeFaults(is), ...publicFaults(is)].filter(
      ({ field }) => !faults.some((known) => known.field.startsWith(field)),
    ),
    ...(isNewPlan
      ? [fault('plan', plans.length > 0 ? `must be one of ${plans.join(', ')}` : 'is not a plan of the tenant')]
      : []),
  ];
  if (first) throw invalid([first, ...rest]);
  return is;
};

/** Reads the registration of a new client. @throws Fault VAL_* naming every field that does not fit */
export const registrationOf = (input: Static<typeof registration>, plans: readonly string[]): Registration =>
  applyChanges(NEW, input, plans);

const lost = (previous: readonly string[], is: readonly string[]): boolean =>
  previous.some((word) => !is.includes(word));

/** Whether a change takes rights from the client or adds a required proof, so that issued tokens must end. */
export const narrowsTokens = (previous: Registration, is: Registration): boolean =>
  lost(previous.scopes, is.scopes) ||
  lost(previous.grants, is.grants) ||
  lost(previous.resources, is.resources) ||
  previous.plan !== is.plan ||
  (is.dpopBound && !previous.dpopBound) ||
  (is.tlsBound && !previous.tlsBound);
