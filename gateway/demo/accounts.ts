import type { Authority } from '@landfall/authority';
import type { DemoAccounts, DemoClient, DemoState, GraphSession } from '@landfall/kernel/demo/chapter';
import Type from 'typebox';
import { type Person, signIn } from './browser.ts';
import type { UserCredentials } from './credentials.ts';

/** Tenants of the demo: the main one, and one that shows isolation. */
export const TENANT = 'acme';
const OTHER_TENANT = 'globex';

/** People of tenant `acme` by role. */
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

/** All scopes except for the administration of people and clients; a token request may narrow them (RFC 6749 3.3). */
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

/** Creates the tenant and its first administrator, before anyone can sign in. */
export type TenantBootstrap = Pick<Authority['bootstrap'], 'ensureTenant' | 'ensureUser'>;

interface Accounts extends DemoAccounts {
  readonly users: readonly UserCredentials[];
  readonly clients: readonly DemoClient[];
}

interface Account {
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
  bootstrap: TenantBootstrap,
  tenant: Parameters<TenantBootstrap['ensureTenant']>[0],
  admin: Account & Person,
): Promise<void> => {
  await bootstrap.ensureTenant(tenant);
  const { username, displayName, password } = admin;
  await bootstrap.ensureUser({ tenant: tenant.tenant, username, displayName, password, roles: ['admin'] });
};

interface Application {
  readonly name: string;
  readonly grants?: readonly string[];
  readonly redirectUris?: readonly string[];
  readonly scopes: readonly string[];
  readonly canIntrospect?: boolean;
  readonly dpopBound?: boolean;
}

/** Registration of an external application: in the browser, on a device without one, and acting for others. */
const PORTAL: Application = {
  name: 'portal',
  grants: ['AUTHORIZATION_CODE', 'CLIENT_CREDENTIALS', 'DEVICE_CODE', 'REFRESH_TOKEN', 'TOKEN_EXCHANGE'],
  redirectUris: ['https://portal.example/callback'],
  scopes: [...READING, 'openid', 'profile', 'offline_access'],
};

const register = async (admin: GraphSession, client: Application, memory: DemoState): Promise<DemoClient> => {
  const { name, scopes } = client;
  const created = await admin.ask(
    createClient,
    { input: { idempotencyKey: `demo/client/${name}`, grants: ['CLIENT_CREDENTIALS'], ...client } },
    Type.Object({ createClient: Type.Object({ secret: Type.String(), client: Id }) }),
  );
  const {
    secret,
    client: { id },
  } = created.createClient;
  return { name, clientId: id, clientSecret: await memory.keep(`client/${name}`, secret), scopes };
};

/** Reads the scopes of a person's session from the authority. */
const credentialsOf = async (session: GraphSession, { username, password }: Person): Promise<UserCredentials> => {
  const shape = Type.Object({ me: Type.Object({ scopes: Type.Array(Type.String()) }) });
  const { me } = await session.ask('{ me { scopes } }', {}, shape);
  return { username, password, scopes: me.scopes };
};

/** Creates the people and clients of the demo: first two administrators, who create everyone else. */
export const createAccounts = async (
  baseUrl: string,
  bootstrap: TenantBootstrap,
  memory: DemoState,
): Promise<Accounts> => {
  const withPassword = async (account: Account): Promise<Account & Person> => ({
    ...account,
    password: await memory.secret(`user/${account.username}`),
  });
  const ana = await withPassword(PEOPLE.admin);
  const gina = await withPassword(OTHER_ADMIN);
  await found(bootstrap, { tenant: TENANT, name: 'Acme', plans: ['team', 'guest'], license: 'ACME-2026' }, ana);
  await found(bootstrap, { tenant: OTHER_TENANT, name: 'Globex', plans: ['guest'], license: 'GLOBEX-2025' }, gina);

  const admin = await signIn(baseUrl, ana);
  const createPerson = async (account: Account) => {
    const person = await withPassword(account);
    const input = { idempotencyKey: `demo/user/${person.username}`, ...person };
    await admin.ask(createUser, { input }, Type.Object({ createUser: Id }));
    const session = await signIn(baseUrl, person);
    return { session, credentials: await credentialsOf(session, person) };
  };
  const manager = await createPerson(PEOPLE.manager);
  const approver = await createPerson(PEOPLE.approver);
  const viewer = await createPerson(PEOPLE.viewer);
  const otherAdmin = await signIn(baseUrl, gina);
  const clients = [
    await register(admin, { name: 'operator', scopes: OPERATING }, memory),
    await register(admin, { name: 'viewer', scopes: READING }, memory),
    await register(admin, { name: 'introspector', scopes: ['release:read'], canIntrospect: true }, memory),
    await register(otherAdmin, { name: 'other-tenant', scopes: OPERATING }, memory),
    await register(admin, { name: 'registry-client', scopes: ['registry.token.issue'], dpopBound: true }, memory),
    await register(admin, PORTAL, memory),
    await register(admin, { name: 'directory', scopes: ['authority:scim'] }, memory),
  ];

  return {
    admin,
    manager: manager.session,
    approver: approver.session,
    otherAdmin,
    users: [await credentialsOf(admin, ana), manager.credentials, approver.credentials, viewer.credentials],
    clients,
    client(name) {
      const client = clients.find((each) => each.name === name);
      if (!client) throw new Error(`The demo has no client ${name}.`);
      return client;
    },
  };
};

/** Signs in only the administrator, for a later start. */
export const signInAdmin = async (baseUrl: string, memory: DemoState): Promise<GraphSession> => {
  const { username } = PEOPLE.admin;
  const password = await memory.secret(`user/${username}`);
  return signIn(baseUrl, { ...PEOPLE.admin, password }).catch((cause: unknown) => {
    const message = `${username} cannot sign in with the demo's password, so its agents cannot register again.`;
    throw new Error(message, { cause });
  });
};
