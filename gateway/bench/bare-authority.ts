// The bare limits of two endpoints: Fastify routes that do no more than the answer needs. `/token` parses the form,
// compares the secret's SHA-256 and signs what the product signs; `/introspect` parses the form and verifies the token.
// node bare-authority.ts <settings as JSON>; prints its address.
import { generateKeyPairSync, hash, randomUUID, sign, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import { createLocalJWKSet, jwtVerify } from 'jose';
import Type from 'typebox';
import { Parse } from 'typebox/value';

const settings = Parse(
  Type.Object({
    clientId: Type.String(),
    secret: Type.String(),
    /** Header of the product's tokens, copied by this program. */
    header: Type.Record(Type.String(), Type.Unknown()),
    claims: Type.Record(Type.String(), Type.Unknown()),
    issuer: Type.String(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);
const { clientId, header, claims, issuer } = settings;
const LIFE_SECONDS = 900;

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');
const secretHash = sha256(settings.secret);
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const encodedHeader = encode(header);

/** Signs a token on the event loop, as the product does: the thread pool costs more than it saves. */
const tokenOf = (): string => {
  const iat = Math.floor(Date.now() / 1_000);
  const body = encode({ ...claims, iat, exp: iat + LIFE_SECONDS, jti: randomUUID() });
  const signed = `${encodedHeader}.${body}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
};

const keySet = createLocalJWKSet(Parse(Type.Any(), await (await fetch(`${issuer}/jwks`)).json()));

const app = Fastify();
app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, callback) => {
  callback(null, new URLSearchParams(String(body)));
});
const formOf = (body: unknown): URLSearchParams => (body instanceof URLSearchParams ? body : new URLSearchParams());

app.post('/token', async ({ body }, reply) => {
  const form = formOf(body);
  const isRight = timingSafeEqual(sha256(form.get('client_secret') ?? ''), secretHash);
  if (!isRight || form.get('client_id') !== clientId || form.get('grant_type') !== 'client_credentials')
    return reply.code(401).send({ error: 'invalid_client' });
  const answer = { token_type: 'Bearer', expires_in: LIFE_SECONDS, scope: claims.scope };
  return reply.header('cache-control', 'no-store').send({ access_token: tokenOf(), ...answer });
});

app.post('/introspect', async ({ body }, reply) => {
  const { payload } = await jwtVerify(formOf(body).get('token') ?? '', keySet, {
    // The issuer that the product signs with, at any address of it.
    issuer: String(claims.iss),
    audience: 'landfall',
    typ: 'at+jwt',
  });
  return reply.header('cache-control', 'no-store').send({ active: true, token_type: 'Bearer', ...payload });
});

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
process.once('SIGTERM', () => process.exit(0));
