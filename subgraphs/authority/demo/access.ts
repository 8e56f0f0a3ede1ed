import type { DemoChapter, DemoClient, DemoStage, GraphSession } from '@landfall/kernel/demo/chapter';
import { runAction } from '@landfall/kernel/demo/graph-action';
import Type from 'typebox';
import { Parse } from 'typebox/value';

type Addresses = Pick<DemoStage, 'baseUrl' | 'authUrl'>;

const Id = Type.Object({ id: Type.String() });
const Versioned = Type.Object({ id: Type.String(), version: Type.Integer() });

/** People whom the company's directory provisions, and their group. */
const PROVISIONED = [
  { userName: 'noor', displayName: 'Noor Aziz', email: 'noor@acme.example' },
  { userName: 'milan', displayName: 'Milan Horvat', email: 'milan@acme.example' },
] as const;
const GROUP = 'Release managers';

const SCIM = 'application/scim+json';

/** A token of the client's own (RFC 6749 4.4). */
const tokenOf = async (authUrl: string, { clientId, clientSecret }: DemoClient): Promise<string> => {
  const response = await fetch(new URL('/token', authUrl), {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return Parse(Type.Object({ access_token: Type.String() }), await response.json()).access_token;
};

/** Provisions through SCIM (RFC 7644); a repeated run finds what exists. */
const openScim = async ({ baseUrl, authUrl }: Addresses, directory: DemoClient) => {
  const headers = { authorization: `Bearer ${await tokenOf(authUrl, directory)}`, 'content-type': SCIM, accept: SCIM };
  const send = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(new URL(`/scim/v2/${path}`, baseUrl), { ...init, headers });
    if (!response.ok) throw new Error(`SCIM ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const found = Type.Object({ Resources: Type.Optional(Type.Array(Id)) });
  return async (kind: 'Users' | 'Groups', filter: string, resource: object): Promise<string> => {
    const { Resources = [] } = Parse(found, await send(`${kind}?filter=${encodeURIComponent(filter)}`));
    const [known] = Resources;
    if (known) return known.id;
    return Parse(Id, await send(kind, { method: 'POST', body: JSON.stringify(resource) })).id;
  };
};

/** Provisions people through SCIM, with the roles of their group. */
const provision = async (addresses: Addresses, admin: GraphSession, directory: DemoClient): Promise<void> => {
  const ensure = await openScim(addresses, directory);
  const members: string[] = [];
  for (const { userName, displayName, email } of PROVISIONED)
    members.push(
      await ensure('Users', `userName eq "${userName}"`, {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName,
        displayName,
        emails: [{ value: email, primary: true }],
        active: true,
      }),
    );
  await ensure('Groups', `displayName eq "${GROUP}"`, {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: GROUP,
    members: members.map((value) => ({ value })),
  });
  const node = Type.Object({
    id: Type.String(),
    displayName: Type.String(),
    roles: Type.Array(Type.String()),
    version: Type.Integer(),
  });
  const { groups } = await admin.ask(
    '{ groups { edges { node { id displayName roles version } } } }',
    {},
    Type.Object({ groups: Type.Object({ edges: Type.Array(Type.Object({ node })) }) }),
  );
  const group = groups.edges.map((edge) => edge.node).find(({ displayName }) => displayName === GROUP);
  if (!group) throw new Error(`The directory made no group ${GROUP}.`);
  // A start that was interrupted has mapped it, and the group has another version since.
  if (group.roles.includes('release-manager')) return;
  const input = { id: group.id, roles: ['release-manager'], expectedVersion: group.version };
  await runAction(admin, { mutation: 'mapGroupRoles', key: 'release-managers', input }, Versioned);
};

/** Applications of the kinds that teams register: one that asks people first, one without a browser. */
const APPLICATIONS = [
  {
    name: 'Deploy board',
    grants: ['AUTHORIZATION_CODE', 'REFRESH_TOKEN'],
    scopes: ['openid', 'profile', 'offline_access', 'release:read', 'orch:read'],
    redirectUris: ['http://127.0.0.1:8765/callback'],
    requiresConsent: true,
  },
  {
    name: 'landfall-cli',
    grants: ['DEVICE_CODE', 'REFRESH_TOKEN'],
    scopes: ['openid', 'profile', 'offline_access', 'release:read', 'orch:read', 'orch:operate'],
  },
] as const;

const createApplications = async (admin: GraphSession): Promise<void> => {
  for (const application of APPLICATIONS)
    await admin.ask(
      'mutation ($input: CreateClientInput!) { createClient(input: $input) { client { id } } }',
      { input: { idempotencyKey: `demo/createClient/${encodeURIComponent(application.name)}`, ...application } },
      Type.Object({ createClient: Type.Object({ client: Id }) }),
    );
};

const invite = async (admin: GraphSession): Promise<void> => {
  const invitation = { username: 'sara', displayName: 'Sara Lind', email: 'sara@acme.example', roles: ['viewer'] };
  await admin.ask(
    'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { user { id } } }',
    { input: { idempotencyKey: 'demo/inviteUser/sara', ...invitation } },
    Type.Object({ inviteUser: Type.Object({ user: Id }) }),
  );
};

/** Fills the Access pages: applications, a directory with its people, an invitation. */
export const accessChapter: DemoChapter = {
  order: 10,
  open: async (stage) => ({
    async create({ admin, client }) {
      await createApplications(admin);
      await provision(stage, admin, client('directory'));
      await invite(admin);
      return {};
    },
  }),
};
