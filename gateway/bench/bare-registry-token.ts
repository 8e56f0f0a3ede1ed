// The bare limit of a registry token: a Fastify route that verifies the access token and the proof with `jose`, inserts
// the proof's jti into the product's own table with `pg`, and signs what the product signs. No plan, no denylist, no row.
// node bare-registry-token.ts <settings as JSON>; prints its address.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { promisify } from 'node:util';
import Fastify from 'fastify';
import { calculateJwkThumbprint, createLocalJWKSet, EmbeddedJWK, type JWTPayload, jwtVerify } from 'jose';
import pg from 'pg';
import Type from 'typebox';
import { Parse } from 'typebox/value';

const CONNECTIONS = 16;
const LIFE_SECONDS = 300;
const RETENTION_MS = 300_000;
/** Time for which an access token's verification is cached, as in the product, in milliseconds. */
const CACHE_MS = 5_000;

const settings = Parse(
  Type.Object({
    databaseUrl: Type.String(),
    /** Address and issuer of the authority. */
    issuer: Type.String(),
    iss: Type.String(),
    /** Header of the product's tokens, copied by this program. */
    header: Type.Record(Type.String(), Type.Unknown()),
    claims: Type.Record(Type.String(), Type.Unknown()),
  }),
  JSON.parse(process.argv[2] ?? ''),
);
const { databaseUrl, issuer, iss, header, claims } = settings;

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signBytes = promisify<string, Buffer, { key: typeof privateKey; dsaEncoding: 'ieee-p1363' }, Buffer>(sign);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const encodedHeader = encode(header);

const tokenOf = async (): Promise<string> => {
  const iat = Math.floor(Date.now() / 1_000);
  const body = encode({ ...claims, iat, nbf: iat - 10, exp: iat + LIFE_SECONDS, jti: randomUUID() });
  const signed = `${encodedHeader}.${body}`;
  const signature = await signBytes('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};

const keySet = createLocalJWKSet(Parse(Type.Any(), await (await fetch(`${issuer}/jwks`)).json()));
const pool = new pg.Pool({ connectionString: databaseUrl, options: '-c role=landfall_system', max: CONNECTIONS });

const known = new Map<string, { readonly payload: JWTPayload; readonly until: number }>();
const verify = async (token: string): Promise<JWTPayload> => {
  const entry = known.get(token);
  if (entry && entry.until > Date.now()) return entry.payload;
  const { payload } = await jwtVerify(token, keySet, { issuer: iss, typ: 'at+jwt' });
  known.set(token, { payload, until: Date.now() + CACHE_MS });
  return payload;
};

const app = Fastify();
app.get('/token', async ({ headers: { authorization = '', dpop } }, reply) => {
  const payload = await verify(authorization.replace('Bearer ', ''));
  const proof = await jwtVerify(String(dpop), EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 60 });
  const jkt = await calculateJwkThumbprint(Parse(Type.Any(), proof.protectedHeader.jwk));
  if (Parse(Type.Object({ jkt: Type.String() }), payload.cnf).jkt !== jkt) return reply.code(401).send();
  const { rowCount } = await pool.query({
    name: 'proof',
    text: 'insert into kernel.dpop_proofs (jkt, jti, expires_at) values ($1, $2, $3) on conflict do nothing',
    values: [jkt, proof.payload.jti, new Date(Date.now() + RETENTION_MS)],
  });
  if (rowCount !== 1) return reply.code(401).send();
  const issued_at = new Date().toISOString();
  return reply
    .header('cache-control', 'no-store')
    .send({ token: await tokenOf(), expires_in: LIFE_SECONDS, issued_at });
});
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
process.once('SIGTERM', () => process.exit(0));
