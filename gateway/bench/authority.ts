// Processor time of the authority's two busiest endpoints, in interleaved rounds: tokens of client credentials against
// a bare route (bare-authority.ts) and against oidc-provider's JWT access tokens, introspections of distinct tokens
// against a bare route that verifies the same ones. Processor time is that of the servers. The product reads the
// client, its secrets and the denylist from PostgreSQL and writes a log line for each request, as it does by default;
// the others do neither.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { Pool } from 'undici';
import { startEmpty } from './empty-product.ts';
import { createReport, type Figure } from './figure.ts';
import { startPeer } from './peer-process.ts';
import { type Candidate, type Comparison, compare } from './rounds.ts';

const CALLERS = 16;
const OPTIONS = { callers: CALLERS, rounds: 30, roundMs: 250 };
/** Options of introspection: fewer rounds, since each needs tokens that were not introspected before. */
const INTROSPECTION = { ...OPTIONS, rounds: 20 };
const TOKENS = 200_000;
/** Requests to each server before the measurement, so that its code is compiled as after weeks of running. */
const WARMING = { issue: 20_000, introspection: 8_000 };

const SCOPES = ['export.viewer', 'findings:read', 'orch:operate', 'orch:read', 'policy:read', 'release:read'];

const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();

/** Creates a client that posts forms to one endpoint over keep-alive connections. */
const poster = (origin: string, path: string) => {
  const pool = new Pool(origin, { connections: CALLERS, pipelining: 1 });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return async (body: string): Promise<string> => {
    const answer = await pool.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${origin}${path} answered ${answer.statusCode}: ${text}`);
    return text;
  };
};

const accessTokenIn = (answer: string): string => {
  const { access_token: token } = JSON.parse(answer);
  if (typeof token !== 'string') throw new TypeError('an answer without a token');
  return token;
};

const warm = async ({ once }: Candidate, requests: number): Promise<void> => {
  let remaining = requests;
  const work = async (): Promise<void> => {
    while (remaining-- > 0) await once();
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
};

const { tell } = createReport('authority');

const reportComparison = (name: string, of: string, found: Comparison, unit: string, goal: Figure['goal']): void => {
  tell(`${name}, of ${of}`, found.ratio.perCpuSecond, 'ratio', goal);
  tell(`${name}, of ${of}, lower quartile`, found.spread.low.perCpuSecond, 'ratio');
  tell(`${name}, of ${of}, upper quartile`, found.spread.high.perCpuSecond, 'ratio');
  tell(`${name}, of ${of}, wall clock`, found.ratio.perSecond, 'ratio');
  tell(name, found.ours.perCpuSecond, `${unit} per CPU second`);
  tell(of, found.bare.perCpuSecond, `${unit} per CPU second`);
};

await using product = await startEmpty();
const { authUrl } = product;
const grants = ['client_credentials'];
const issued = await product.register({ name: 'issued', grants, scopes: SCOPES });
const resource = await product.register({ name: 'resource', grants, scopes: ['release:read'], canIntrospect: true });
const credentials = { client_id: issued.client.id, client_secret: issued.secret };
const askToken = form({ grant_type: 'client_credentials', ...credentials });

const token = poster(authUrl, '/token');
const sample = accessTokenIn(await token(askToken));
await using bareRoute = await startPeer('bare-authority.ts', {
  clientId: issued.client.id,
  secret: issued.secret,
  header: decodeProtectedHeader(sample),
  claims: decodeJwt(sample),
  issuer: authUrl,
});
await using peer = await startPeer('peer-oidc-provider.ts', {
  clientId: issued.client.id,
  secret: issued.secret,
  scope: SCOPES.join(' '),
});

const processes = await product.serverProcesses();
const issuing = (origin: string, pids: readonly number[]): Candidate => {
  const post = poster(origin, '/token');
  return { processes: pids, once: () => post(askToken) };
};
const [own, limit, other] = [
  issuing(authUrl, processes),
  issuing(bareRoute.origin, [bareRoute.pid]),
  issuing(peer.origin, [peer.pid]),
];
const sizeAt = async (origin: string): Promise<number> =>
  accessTokenIn(await poster(origin, '/token')(askToken)).length;
if ((await sizeAt(bareRoute.origin)) !== sample.length) throw new Error('the bare route signs another payload');
tell('token of ours', sample.length, 'characters');
tell('token of oidc-provider', await sizeAt(peer.origin), 'characters');

for (const engine of [own, limit, other]) await warm(engine, WARMING.issue);
const ISSUED = 'client-credentials tokens';
reportComparison(ISSUED, 'a bare route', await compare(own, limit, OPTIONS), 'tokens', { atLeast: 0.8 });
reportComparison(ISSUED, 'oidc-provider', await compare(own, other, OPTIONS), 'tokens', { atLeast: 1.7 });

/** Tokens to introspect; each contender gets each token once. */
const minted: string[] = [];
const mint = async (): Promise<void> => {
  while (minted.length < TOKENS) minted.push(accessTokenIn(await token(askToken)));
};
await Promise.all(Array.from({ length: CALLERS }, mint));

const introspecting = (origin: string, pids: readonly number[]): Candidate => {
  const post = poster(origin, '/introspect');
  const by = { client_id: resource.client.id, client_secret: resource.secret };
  let count = 0;
  return {
    processes: pids,
    async once() {
      const next = minted[count++];
      if (next === undefined) throw new Error(`more than ${TOKENS} introspections; mint more tokens`);
      const answer = await post(form({ token: next, ...by }));
      if (!answer.startsWith('{"active":true')) throw new Error(answer);
    },
  };
};
const [asking, verifying] = [introspecting(authUrl, processes), introspecting(bareRoute.origin, [bareRoute.pid])];
for (const engine of [asking, verifying]) await warm(engine, WARMING.introspection);
reportComparison(
  'introspections of distinct tokens',
  'a bare route that verifies',
  await compare(asking, verifying, INTROSPECTION),
  'introspections',
  { atLeast: 0.6 },
);
