import type { Authority } from '@landfall/authority';
import Type from 'typebox';
import { type GraphSession, type Person, signIn } from './browser.ts';
import type { ClientCredentials, UserCredentials } from './credentials.ts';
import type { Memory } from './memory.ts';

/** The tenant of the story, and the one that proves that tenants do not see each other. */
export const TENANT = 'acme';
const OTHER_TENANT = 'globex';

/** People who sign in at `acme`, by their role. */
const PEOPLE = {
  admin: { username: 'ana', displayName: 'Ana Duarte', roles: ['admin'] },
  manager: { username: 'rosa', displayName: 'Rosa Lindqvist', roles: ['release-manager'] },
  approver: { username: 'amir', displayName: 'Amir Haddad', roles: ['approver'] },
  viewer: { username: 'vera', displayName: 'Vera Novak', roles: ['viewer'] },
} as const;

const OTHER_ADMIN = { username: 'gina', displayName: 'Gina Osei', roles: ['admin'] } as const;

const READING = [
  'advisory-ai:view',
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

/** All scopes but the administration of people and clients; a token request may narrow it (RFC 6749 3.3). */
const OPERATING = [
  ...READING,
  'advisory-ai:admin',
  'advisory-ai:operate',
  'airgap:import',
  'airgap:seal',
  'export.operator',
  'notify.admin',
  'notify.escalate',
  'notify.operator',
  'orch:admin',
  'orch:approve',
  'orch:operate',
  'registry.token.issue',
  'scanner.scans.write',
  'scanner:write',
  'search:synthesize',
];

/** Creates the tenant and its first administrator, before anybody can sign in. */
type Founder = Pick<Authority['bootstrap'], 'ensureTenant' | 'ensureUser'>;

export interface DemoAccounts {
  readonly admin: GraphSession;
  readonly manager: GraphSession;
  readonly approver: GraphSession;
  readonly otherAdmin: GraphSession;
  readonly users: readonly UserCredentials[];
  readonly clients: readonly ClientCredentials[];
}

/** @throws Error when the story has no client of that name */
export const clientOf = ({ clients }: DemoAccounts, name: string): ClientCredentials => {
  const client = clients.find((each) => each.name === name);
  if (!client) throw new Error(`The story has no client ${name}.`);
  return client;
};

interface Part {
  readonly username: string;
  readonly displayName: string;
  readonly roles: readonly string[];
}

const Id = Type.Object({ id: Type.String() });

const createUser = `mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }`;

const createClient = `mutation ($input: CreateClientInput!) {
  createClient(input: $input) { secret client { id } }
}`;

const found = async (
  founder: Founder,
  tenant: Parameters<Founder['ensureTenant']>[0],
  admin: Part & Person,
): Promise<void> => {
  await founder.ensureTenant(tenant);
  const { username, displayName, password } = admin;
  await founder.ensureUser({ tenant: tenant.tenant, username, displayName, password, roles: ['admin'] });
};

interface Application {
  readonly name: string;
  readonly grants?: readonly string[];
  readonly redirectUris?: readonly string[];
  readonly scopes: readonly string[];
  readonly canIntrospect?: boolean;
  readonly dpopBound?: boolean;
}

/** An application of somebody else's, in the browser, on a device without one, and acting for others. */
const PORTAL: Application = {
  name: 'portal',
  grants: ['AUTHORIZATION_CODE', 'CLIENT_CREDENTIALS', 'DEVICE_CODE', 'REFRESH_TOKEN', 'TOKEN_EXCHANGE'],
  redirectUris: ['https://portal.example/callback'],
  scopes: [...READING, 'openid', 'profile', 'offline_access'],
};

const register = async (admin: GraphSession, client: Application, memory: Memory): Promise<ClientCredentials> => {
  const { name, scopes } = client;
  const made = await admin.ask(
    createClient,
    { input: { idempotencyKey: `demo/client/${name}`, grants: ['CLIENT_CREDENTIALS'], ...client } },
    Type.Object({ createClient: Type.Object({ secret: Type.String(), client: Id }) }),
  );
  const {
    secret,
    client: { id },
  } = made.createClient;
  return { name, clientId: id, clientSecret: await memory.keep(`client/${name}`, secret), scopes };
};

/** Scopes of a person's session, as the authority names them. */
const credentialsOf = async (door: GraphSession, { username, password }: Person): Promise<UserCredentials> => {
  const shape = Type.Object({ me: Type.Object({ scopes: Type.Array(Type.String()) }) });
  const { me } = await door.ask('{ me { scopes } }', {}, shape);
  return { username, password, scopes: me.scopes };
};

/** The people and clients of the story. The two first admins are given; they let in everybody else. */
export const authorityChapter = async (baseUrl: string, founder: Founder, memory: Memory): Promise<DemoAccounts> => {
  const withPassword = async (part: Part): Promise<Part & Person> => ({
    ...part,
    password: await memory.secret(`user/${part.username}`),
  });
  const ana = await withPassword(PEOPLE.admin);
  const gina = await withPassword(OTHER_ADMIN);
  await found(founder, { tenant: TENANT, name: 'Acme', plans: ['team', 'guest'], license: 'ACME-2026' }, ana);
  await found(founder, { tenant: OTHER_TENANT, name: 'Globex', plans: ['guest'], license: 'GLOBEX-2025' }, gina);

  const admin = await signIn(baseUrl, ana);
  const letIn = async (part: Part): Promise<{ door: GraphSession; credentials: UserCredentials }> => {
    const person = await withPassword(part);
    const input = { idempotencyKey: `demo/user/${person.username}`, ...person };
    await admin.ask(createUser, { input }, Type.Object({ createUser: Id }));
    const door = await signIn(baseUrl, person);
    return { door, credentials: await credentialsOf(door, person) };
  };
  const manager = await letIn(PEOPLE.manager);
  const approver = await letIn(PEOPLE.approver);
  const viewer = await letIn(PEOPLE.viewer);
  const otherAdmin = await signIn(baseUrl, gina);

  return {
    admin,
    manager: manager.door,
    approver: approver.door,
    otherAdmin,
    users: [await credentialsOf(admin, ana), manager.credentials, approver.credentials, viewer.credentials],
    clients: [
      await register(admin, { name: 'operator', scopes: OPERATING }, memory),
      await register(admin, { name: 'viewer', scopes: READING }, memory),
      await register(admin, { name: 'introspector', scopes: ['release:read'], canIntrospect: true }, memory),
      await register(otherAdmin, { name: 'other-tenant', scopes: OPERATING }, memory),
      await register(admin, { name: 'registry-client', scopes: ['registry.token.issue'], dpopBound: true }, memory),
      await register(admin, PORTAL, memory),
      await register(admin, { name: 'directory', scopes: ['authority:scim'] }, memory),
    ],
  };
};

/** The admin alone, for a start after the story was told. */
export const signInAdmin = async (baseUrl: string, memory: Memory): Promise<GraphSession> => {
  const { username } = PEOPLE.admin;
  const password = await memory.secret(`user/${username}`);
  return signIn(baseUrl, { ...PEOPLE.admin, password }).catch((cause: unknown) => {
    const words = `${username} does not sign in by the password that the demo gave: its agents cannot be let in again.`;
    throw new Error(words, { cause });
  });
};
