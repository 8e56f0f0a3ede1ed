import { type ChildProcess, spawn } from 'node:child_process';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import Type, { type Static } from 'typebox';
import Value from 'typebox/value';
import { createProofs, type Proofs } from '../testing/proofs.ts';
import { createFresh, type Fresh } from './fresh-values.ts';
import { openPerson } from './person.ts';

/** Program that runs the product with the demo; this package may not import it. */
const PROGRAM = join(import.meta.dirname, '../../gateway/testing/start.ts');

/** Run mode of the product. */
export type Mode = 'all-in-one' | 'roles';

const startMessage = Type.Object({
  baseUrl: Type.String(),
  authUrl: Type.String(),
  /** A second installation, which issues registry tokens by other settings. */
  realmUrl: Type.String(),
  credentials: Type.Object({
    users: Type.Array(Type.Object({ username: Type.String(), password: Type.String() })),
    clients: Type.Array(Type.Object({ name: Type.String(), clientId: Type.String(), clientSecret: Type.String() })),
    ids: Type.Record(Type.String(), Type.String()),
    expiredDeviceCode: Type.String(),
  }),
});

const tokenAnswer = Type.Object({ access_token: Type.String() });
const keySet = Type.Object({
  keys: Type.Array(Type.Object({ kty: Type.String(), crv: Type.String(), x: Type.String(), y: Type.String() })),
});

/** A running product to send recorded requests to. */
export interface Stage extends AsyncDisposable {
  /** Value of `{{name}}` in a request, and in an answer where it comes back. */
  readonly variables: ReadonlyMap<string, string>;
  /** Values made anew for each request that names them, since they are valid once. */
  readonly fresh: Fresh;
  /** Variables that an answer may show; the others are secret. */
  readonly shown: readonly string[];
  /** The authority's public keys. */
  readonly keys: readonly KeyObject[];
}

type Client = Static<typeof startMessage>['credentials']['clients'][number];

const basicOf = ({ clientId, clientSecret }: Client): string =>
  Buffer.from(`${clientId}:${clientSecret}`).toString('base64');

/** The client of the story whose tokens are bound to a DPoP key. */
const BOUND = 'registry-client';
/** Clients that are also given a bound token, `bound:<name>`: registries' realm takes no other. */
const ALSO_BOUND = ['other-tenant', 'planless', 'viewer'];

interface Asking {
  readonly authUrl: string;
  readonly proofs: Proofs;
  readonly isBound?: boolean;
}

const tokenOf = async (
  { authUrl, proofs, isBound = false }: Asking,
  client: Client,
  scope?: string,
): Promise<string> => {
  const url = `${authUrl}/token`;
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Basic ${basicOf(client)}`,
      ...((isBound || client.name === BOUND) && { dpop: proofs({ method: 'POST', url }) }),
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }),
  });
  return Value.Parse(tokenAnswer, await response.json()).access_token;
};

/** A bound token that its client has revoked (RFC 7009). */
const revokedToken = async (asking: Asking, client: Client | undefined): Promise<string> => {
  if (!client) throw new Error(`the story has no ${BOUND}`);
  const token = await tokenOf(asking, client);
  await fetch(`${asking.authUrl}/revoke`, {
    method: 'POST',
    headers: { authorization: `Basic ${basicOf(client)}` },
    body: new URLSearchParams({ token }),
  });
  return token;
};

const end = async (child: ChildProcess): Promise<void> => {
  const exited = child.exitCode === null ? once(child, 'exit') : undefined;
  child.stdin?.end();
  await exited;
};

const start = async (mode: Mode) => {
  const child = spawn(process.execPath, [PROGRAM, mode, '--demo'], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout))
    return { child, running: Value.Parse(startMessage, JSON.parse(line)) };
  throw new Error(`the product did not start in mode ${mode}`);
};

const variablesOf = async (
  { baseUrl, authUrl, realmUrl, credentials }: Static<typeof startMessage>,
  proofs: Proofs,
): Promise<Map<string, string>> => {
  const asking = { authUrl, proofs };
  const { clients, users, ids } = credentials;
  const perClient = await Promise.all(
    clients.map(
      async (client): Promise<[string, string][]> => [
        [`client:${client.name}`, client.clientId],
        [`basic:${client.name}`, basicOf(client)],
        [`token:${client.name}`, await tokenOf(asking, client)],
        ...(ALSO_BOUND.includes(client.name)
          ? ([[`bound:${client.name}`, await tokenOf({ ...asking, isBound: true }, client)]] satisfies [
              string,
              string,
            ][])
          : []),
      ],
    ),
  );
  const byName = (requested: string) => clients.find(({ name }) => name === requested);
  const operator = byName('operator');
  return new Map([
    ['baseUrl', baseUrl],
    ['authUrl', authUrl],
    ['realmUrl', realmUrl],
    ['device:expired', credentials.expiredDeviceCode],
    ...users.map(({ username, password }) => [`password:${username}`, password] as const),
    ...Object.entries(ids),
    ...perClient.flat(),
    ['token:revoked', await revokedToken(asking, byName(BOUND))],
    // A client without any scope of the orchestrator.
    ...(operator ? [['token:narrow', await tokenOf(asking, operator, 'findings:read')] as const] : []),
    // A client that may search, but not request answers.
    ...(operator ? [['token:searcher', await tokenOf(asking, operator, 'advisory-ai:operate')] as const] : []),
  ]);
};

/** Viewer of the demo. */
const PERSON = 'vera';

const signIn = async (
  { authUrl, credentials }: Static<typeof startMessage>,
  variables: ReadonlyMap<string, string>,
) => {
  const user = credentials.users.find(({ username }) => username === PERSON);
  if (!user) throw new Error(`the story has no ${PERSON}`);
  const [clientId = '', basic = ''] = ['client:portal', 'basic:portal'].map((name) => variables.get(name));
  return openPerson({ authUrl, clientId, basic }, user);
};

const keysOf = async (authUrl: string): Promise<KeyObject[]> => {
  const { keys } = Value.Parse(keySet, await (await fetch(`${authUrl}/oauth/introspect`)).json());
  return keys.map((key) => createPublicKey({ key, format: 'jwk' }));
};

const deployment = Type.Object({ deploymentAttestationRef: Type.Optional(Type.String()) });

/** Variables of the landings in recorded cases, whose statements are signed and logged after the demo ends. */
const LANDED = ['deploymentId', 'rolledBackDeploymentId', 'rollbackDeploymentId'];
const POLL_MS = 50;
const LOST_MS = 60_000;

/** Waits until a landing has the reference of its statement, for its answer is another one from then on. */
const attested = async (variables: ReadonlyMap<string, string>, name: string): Promise<void> => {
  const url = `${variables.get('baseUrl')}/api/v1/release-orchestrator/deployments/${variables.get(name)}`;
  const headers = { authorization: `Bearer ${variables.get('token:operator')}` };
  for (const until = performance.now() + LOST_MS; performance.now() < until; await sleep(POLL_MS)) {
    const answer = Value.Parse(deployment, await (await fetch(url, { headers })).json());
    if (answer.deploymentAttestationRef !== undefined) return;
  }
  throw new Error(`${name} was not attested`);
};

/** Starts the product in a run mode and plays the demo. */
export const openStage = async (mode: Mode): Promise<Stage> => {
  await using stack = new AsyncDisposableStack();
  const { child, running } = await start(mode);
  stack.defer(() => end(child));
  const proofs = createProofs();
  const variables = await variablesOf(running, proofs);
  const keys = await keysOf(running.authUrl);
  await Promise.all(LANDED.map((name) => attested(variables, name)));
  const person = await signIn(running, variables);
  variables.set('token:person', await person.accessToken());
  const fresh = createFresh({ variables, proofs, person });
  const resources = stack.move();
  return {
    variables,
    keys,
    fresh,
    shown: [...variables.keys()].filter((name) => !/^(basic|token|bound|password|device):/.test(name)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
