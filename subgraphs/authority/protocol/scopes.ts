import { Fault } from '@landfall/kernel/core/fault';

/** All scopes: those of spec 5, of rulings 31 and of this module. */
export const SCOPES = [
  'advisory-ai:admin',
  'advisory-ai:operate',
  'advisory-ai:view',
  'airgap:import',
  'airgap:seal',
  'airgap:status:read',
  'authority:admin',
  'authority:scim',
  'email',
  'export.operator',
  'export.viewer',
  'findings:read',
  'groups',
  'notify.admin',
  'notify.escalate',
  'notify.operator',
  'notify.viewer',
  'offline_access',
  'openid',
  'orch:admin',
  'orch:approve',
  'orch:operate',
  'orch:read',
  'policy:read',
  'profile',
  'registry.token.issue',
  'release:read',
  'scanner.scans.read',
  'scanner.scans.write',
  'scanner:read',
  'scanner:write',
  'search:synthesize',
  'vex:read',
] as const;

type Scope = (typeof SCOPES)[number];

/** Scopes of every person: they identify the person and grant no rights. */
const USER_SCOPES: readonly Scope[] = ['openid', 'profile', 'email', 'groups', 'offline_access'];

const VIEWER: readonly Scope[] = [
  'advisory-ai:view',
  // A search is a read, whatever the specification calls the scope.
  'advisory-ai:operate',
  'airgap:status:read',
  'export.viewer',
  'findings:read',
  'notify.viewer',
  'orch:read',
  'policy:read',
  'release:read',
  'scanner.scans.read',
  'scanner:read',
  'vex:read',
];

const OPERATOR: readonly Scope[] = [
  ...VIEWER,
  'airgap:import',
  'airgap:seal',
  'export.operator',
  'notify.escalate',
  'notify.operator',
  'orch:operate',
  'registry.token.issue',
  'scanner.scans.write',
  'scanner:write',
  'search:synthesize',
];

/** Scopes of each role (rulings 64). Requesting a promotion and approving it are two roles. */
const SCOPES_OF_ROLE = {
  admin: SCOPES,
  'release-manager': [...VIEWER, 'export.operator', 'notify.operator', 'orch:operate', 'search:synthesize'],
  approver: [...VIEWER, 'orch:approve'],
  operator: OPERATOR,
  viewer: VIEWER,
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

type Role = keyof typeof SCOPES_OF_ROLE;

export const ROLES: readonly [Role, ...Role[]] = ['admin', 'release-manager', 'approver', 'operator', 'viewer'];

export const scopesOfRole = (role: Role): readonly Scope[] => SCOPES_OF_ROLE[role];

const isRole = (name: string): name is Role => Object.hasOwn(SCOPES_OF_ROLE, name);
const isScope = (name: string): boolean => SCOPES.some((scope) => scope === name);

/** Distinct words of a `scope` parameter (RFC 6749 3.3). */
export const parseScopes = (parameter: string): readonly string[] => [
  ...new Set(parameter.split(' ').filter((word) => word !== '')),
];

/** Known scopes of a `scope` parameter; unknown words are ignored (RFC 6749 3.3). */
export const requestedScopes = (parameter: string): readonly string[] => parseScopes(parameter).filter(isScope);

/** First scope that is not allowed. */
export const refusedScope = (requested: readonly string[], allowed: readonly string[]): string | undefined =>
  requested.find((scope) => !allowed.includes(scope));

/** Scopes that a request names, or all allowed; throws Fault invalid_scope if one is refused or none is known. */
export const narrowScopes = (
  parameter: string | undefined,
  allowed: readonly string[],
  messageOf: (scope: string) => string,
): readonly string[] => {
  if (parameter === undefined) return allowed;
  const scopes = requestedScopes(parameter);
  if (scopes.length === 0) throw new Fault('invalid_scope', 'The authority knows none of the scopes asked for.');
  const refused = refusedScope(scopes, allowed);
  if (refused !== undefined) throw new Fault('invalid_scope', messageOf(refused));
  return scopes;
};

/** Scopes of a request among those of its client. @throws Fault invalid_scope */
export const clientScopes = (parameter: string | undefined, allowed: readonly string[]): readonly string[] =>
  narrowScopes(parameter, allowed, (scope) => `The scope ${scope} is not this client’s.`);

/** Filters `scopes` by what a person with these roles may have. */
export const scopesOfRoles = (roles: readonly string[], scopes: readonly string[]): readonly string[] => {
  const allowed = new Set<string>([...USER_SCOPES, ...roles.filter(isRole).flatMap((role) => SCOPES_OF_ROLE[role])]);
  return scopes.filter((scope) => allowed.has(scope));
};

/** Filters `scopes` by what a client may have for itself: no identity, no refresh. */
export const scopesOfClient = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => !USER_SCOPES.some((personal) => personal === scope));

/** Throws Fault PERM_SCOPE_DENIED for a token with identity scopes only, which grant no rights. */
export const requireProductScope = ({ scopes }: { readonly scopes: ReadonlySet<string> }): void => {
  if ([...scopes].some((scope) => !USER_SCOPES.some((each) => each === scope))) return;
  throw new Fault('PERM_SCOPE_DENIED', 'A token that only says who you are is not enough for this.', {
    anyOf: ['orch:read', 'release:read'],
  });
};
