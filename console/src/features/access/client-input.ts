import type {
  ClientAuthMethod,
  ClientFactsFragment,
  CreateClientInput,
  OAuthGrant,
  TlsSubjectKind,
} from '../../generated/operations.ts';
import { readFields } from '../../lib/form-fields.ts';
import type { FieldProblem } from '../../lib/problem.ts';
import { splitCertificates, splitLines } from './roles.ts';

export const GRANTS = [
  'AUTHORIZATION_CODE',
  'REFRESH_TOKEN',
  'CLIENT_CREDENTIALS',
  'DEVICE_CODE',
  'TOKEN_EXCHANGE',
  'PASSWORD',
] as const satisfies readonly OAuthGrant[];

export const METHODS = [
  'CLIENT_SECRET_BASIC',
  'CLIENT_SECRET_POST',
  'TLS_CLIENT_AUTH',
  'SELF_SIGNED_TLS_CLIENT_AUTH',
  'NONE',
] as const satisfies readonly ClientAuthMethod[];

export const SUBJECTS = [
  'SUBJECT_DN',
  'SAN_DNS',
  'SAN_URI',
  'SAN_IP',
  'SAN_EMAIL',
] as const satisfies readonly TlsSubjectKind[];

/** Rules of a client beside its scopes, each on or off. */
export const RULES = [
  'dpopBound',
  'tlsBound',
  'requiresPushedRequests',
  'requiresConsent',
  'canIntrospect',
] as const satisfies readonly (keyof ClientFactsFragment)[];

type Rule = (typeof RULES)[number];

export type ClientChoices = {
  readonly grants: readonly OAuthGrant[];
  readonly scopes: readonly string[];
  readonly authMethods: readonly ClientAuthMethod[];
  readonly rules: readonly Rule[];
};

export const initialChoices = (client: ClientFactsFragment | undefined): ClientChoices =>
  client === undefined
    ? {
        grants: ['CLIENT_CREDENTIALS'],
        scopes: [],
        authMethods: ['CLIENT_SECRET_BASIC', 'CLIENT_SECRET_POST'],
        rules: [],
      }
    : {
        grants: client.grants,
        scopes: client.scopes,
        authMethods: client.authMethods,
        rules: RULES.filter((rule) => client[rule]),
      };

/** Authentication methods after a choice: `none`, of a public client, excludes every other method. */
export const changedMethods = (
  before: readonly ClientAuthMethod[],
  selected: readonly ClientAuthMethod[],
): readonly ClientAuthMethod[] => {
  if (!selected.includes('NONE')) return selected;
  return before.includes('NONE') && selected.length > 1 ? selected.filter((method) => method !== 'NONE') : ['NONE'];
};

/** Registration from the form's values. Parts hidden by the choices are left out and so stay unchanged. */
export function clientInput(data: FormData, selection: ClientChoices): CreateClientInput {
  const { text } = readFields(data);
  const has = (name: string) => data.has(name);
  const certificates = splitCertificates(text('certificates'));
  const kind = SUBJECTS.find((one) => one === text('tlsSubject.kind'));
  return {
    name: text('name'),
    grants: [...selection.grants],
    scopes: [...selection.scopes],
    authMethods: [...selection.authMethods],
    ...(has('redirectUris') && { redirectUris: splitLines(text('redirectUris')) }),
    ...(has('postLogoutRedirectUris') && { postLogoutRedirectUris: splitLines(text('postLogoutRedirectUris')) }),
    ...(has('allowedOrigins') && { allowedOrigins: splitLines(text('allowedOrigins')) }),
    resources: splitLines(text('resources')),
    ...(kind !== undefined && { tlsSubject: { kind, value: text('tlsSubject.value') } }),
    ...(certificates.length > 0 && { certificates }),
    ...Object.fromEntries(RULES.map((rule) => [rule, selection.rules.includes(rule)])),
    ...(has('plan') && { plan: text('plan') }),
  };
}

/** Refusals of single lines under the name of their field. */
export const mergeLineProblems = (problems: readonly FieldProblem[]): FieldProblem[] =>
  problems.map((problem) => ({ ...problem, field: problem.field.replace(/\.\d+$/, '') }));
