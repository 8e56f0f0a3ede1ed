import { Fault } from '@landfall/kernel/core/fault';

/** Every scope there is: those of spec 5, and those of rulings 31 and this module. */
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

export type Scope = (typeof SCOPES)[number];

/** What a person may ask for whatever their roles are: these say who they are and for how long, not what they may do. */
const OF_EVERYBODY: readonly Scope[] = ['openid', 'profile', 'email', 'groups', 'offline_access'];

const VIEWER: readonly Scope[] = [
  'advisory-ai:view',
  // To look for something is to read, whatever the specification calls the scope.
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

/** Roles are named sets of scopes (rulings 64). Asking for a promotion and approving it are two roles. */
const SCOPES_OF_ROLE = {
  admin: SCOPES,
  'release-manager': [...VIEWER, 'export.operator', 'notify.operator', 'orch:operate', 'search:synthesize'],
  approver: [...VIEWER, 'orch:approve'],
  operator: OPERATOR,
  viewer: VIEWER,
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type Role = keyof typeof SCOPES_OF_ROLE;

export const ROLES: readonly [Role, ...Role[]] = ['admin', 'release-manager', 'approver', 'operator', 'viewer'];

/** What a role holds. */
export const scopesOfRole = (role: Role): readonly Scope[] => SCOPES_OF_ROLE[role];

const isRole = (name: string): name is Role => Object.hasOwn(SCOPES_OF_ROLE, name);
const isScope = (name: string): boolean => SCOPES.some((scope) => scope === name);

/** The words of a `scope` parameter (RFC 6749 3.3), each once. */
export const scopeWords = (parameter: string): readonly string[] => [
  ...new Set(parameter.split(' ').filter((word) => word !== '')),
];

/** The scopes that a `scope` parameter asks for. Words that the authority does not know are ignored (RFC 6749 3.3). */
export const requestedScopes = (parameter: string): readonly string[] => scopeWords(parameter).filter(isScope);

/** The first scope that is not among those allowed. */
export const refusedScope = (requested: readonly string[], allowed: readonly string[]): string | undefined =>
  requested.find((scope) => !allowed.includes(scope));

/** What of `scopes` a person with these roles holds, in the order asked for. */
export const heldByRoles = (roles: readonly string[], scopes: readonly string[]): readonly string[] => {
  const held = new Set<string>([...OF_EVERYBODY, ...roles.filter(isRole).flatMap((role) => SCOPES_OF_ROLE[role])]);
  return scopes.filter((scope) => held.has(scope));
};

/** What of `scopes` a client holds for itself: it is nobody, and needs no refresh token. */
export const heldByClient = (scopes: readonly string[]): readonly string[] =>
  scopes.filter((scope) => !OF_EVERYBODY.some((personal) => personal === scope));

/**
 * Refuses a token whose scopes only say who a person is. An application that people merely sign in to learns nothing of
 * their other sign-ins and publishes nothing in their name.
 * @throws Fault PERM_SCOPE_DENIED
 */
export const requireProductScope = ({ scopes }: { readonly scopes: ReadonlySet<string> }): void => {
  if ([...scopes].some((scope) => !OF_EVERYBODY.some((each) => each === scope))) return;
  throw new Fault('PERM_SCOPE_DENIED', 'A token that only says who you are is not enough for this.', {
    anyOf: ['orch:read', 'release:read'],
  });
};
