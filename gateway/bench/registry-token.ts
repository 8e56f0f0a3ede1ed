// Cost of a registry token, in interleaved rounds: the product's answer, with its plan, its denylist and
// its row, against a bare route (bare-registry-token.ts) that verifies the same access token and a fresh proof, inserts
// the same jti row and signs. Processor time is that of the servers and of PostgreSQL together.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { sha256Bytes } from '@landfall/kernel/crypto/digest';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { Pool } from 'undici';
import { startEmpty } from './empty-product.ts';
import { createReport } from './figure.ts';
import { startPeer } from './peer-process.ts';
import { treeOf } from './processes.ts';
import { type Candidate, compare } from './rounds.ts';

const CALLERS = 16;
const OPTIONS = { callers: CALLERS, rounds: 30, roundMs: 250 };
const PATH = '/token?service=registry.example&scope=repository%3Aacme%2Fapp%3Apull%2Cpush';

Object.assign(process.env, {
  REGISTRY_TOKEN_PLANS__bench: 'acme/*:pull,push',
  REGISTRY_TOKEN_DEFAULTPLAN: 'bench',
});

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x, y } = publicKey.export({ format: 'jwk' });
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const head = encode({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty: 'EC', crv: 'P-256', x, y } });

/** Creates a DPoP proof (RFC 9449 4.2). */
const prove = (htm: string, htu: string, ath?: string): string => {
  const claims = { jti: randomUUID(), htm, htu, iat: Math.floor(Date.now() / 1_000), ...(ath && { ath }) };
  const signed = `${head}.${encode(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
};

const { tell } = createReport('authority');

await using product = await startEmpty();
const { authUrl, baseUrl, databaseUrl } = product;
const { client, secret } = await product.register({
  name: 'puller',
  grants: ['client_credentials'],
  scopes: ['registry.token.issue'],
});

/** Replaces the loopback address by the product's default host name, for which proofs are made. */
const byName = (address: string): string => address.replace('127.0.0.1', 'localhost');

const accessToken = async (): Promise<string> => {
  const response = await fetch(`${authUrl}/token`, {
    method: 'POST',
    headers: { dpop: prove('POST', `${byName(authUrl)}/token`) },
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: client.id, client_secret: secret }),
  });
  return Parse(Type.Object({ access_token: Type.String() }), await response.json()).access_token;
};
const token = await accessToken();
const ath = sha256Bytes(token).toString('base64url');

const requestToken = (origin: string): (() => Promise<string>) => {
  const pool = new Pool(origin, { connections: CALLERS, pipelining: 1 });
  return async () => {
    const dpop = prove('GET', `${byName(baseUrl)}/token`, ath);
    const headers = { authorization: `Bearer ${token}`, dpop };
    const { statusCode, body } = await pool.request({ method: 'GET', path: PATH, headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${origin} answered ${statusCode}: ${text}`);
    return text;
  };
};

const ask = requestToken(baseUrl);
const sample = Parse(Type.Object({ token: Type.String() }), JSON.parse(await ask())).token;
await using peer = await startPeer('bare-registry-token.ts', {
  databaseUrl,
  issuer: authUrl,
  iss: byName(authUrl),
  header: decodeProtectedHeader(sample),
  claims: decodeJwt(sample),
});

const server = await product.serverProcesses();
const [own, limit]: readonly [Candidate, Candidate] = [
  { processes: server, once: ask },
  { processes: [peer.pid], once: requestToken(peer.origin) },
];
// Every connection is opened once before the processes are counted.
await compare(own, limit, { ...OPTIONS, rounds: 1 });
const shared = (await treeOf(process.pid))
  .filter(({ command }) => /^(postgres: |\S+\/bin\/postgres )/.test(command))
  .map(({ pid }) => pid);
const found = await compare(
  { ...own, processes: [...server, ...shared] },
  { ...limit, processes: [peer.pid, ...shared] },
  OPTIONS,
);
tell('registry tokens, of a bare route', found.ratio.perCpuSecond, 'ratio', { atLeast: 0.7 });
tell('registry tokens, of a bare route, lower quartile', found.spread.low.perCpuSecond, 'ratio');
tell('registry tokens, of a bare route, upper quartile', found.spread.high.perCpuSecond, 'ratio');
tell('registry tokens, of a bare route, wall clock', found.ratio.perSecond, 'ratio');
tell('registry tokens', found.ours.perCpuSecond, 'tokens per CPU second');
tell('registry tokens of a bare route', found.bare.perCpuSecond, 'tokens per CPU second');
const alone = await compare(own, limit, OPTIONS);
tell('registry tokens, of a bare route, without PostgreSQL', alone.ratio.perCpuSecond, 'ratio');
