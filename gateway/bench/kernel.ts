// Cost of the parts of the kernel that every request uses, in microseconds of one processor.
import { randomBytes } from 'node:crypto';
import { systemClock } from '@landfall/kernel/core/clock';
import { exampleId, idOf, randomIds } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import type { Database } from '@landfall/kernel/db/database';
import type { Query } from '@landfall/kernel/db/query';
import { readRequestHeaders } from '@landfall/kernel/http/request-headers';
import { createEdge } from '@landfall/kernel/identity/edge';
import { createKeys } from '@landfall/kernel/identity/keys';
import { createOperations } from '@landfall/kernel/operation/operation';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import Type from 'typebox';
import { createEnvelopes } from '../roles/envelope.ts';
import { createReport } from './figure.ts';
import { writer } from './notes.ts';
import { median } from './statistics.ts';

const ROUNDS = 7;
const ROUND_MS = 150;

/** Median processor time of several rounds, in microseconds a call. */
const cost = async (once: () => unknown): Promise<number> => {
  const rounds: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    const end = performance.now() + ROUND_MS;
    let calls = 0;
    for (; performance.now() < end; calls++) await once();
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / calls);
  }
  return median(rounds.slice(1));
};

const secrets = createSecrets([randomBytes(32)]);
const { tell } = createReport('kernel');

const envelopeCosts = async (): Promise<void> => {
  const bound = { method: 'POST', path: '/graphql', body: JSON.stringify({ query: '{ me { id } }' }) };
  const edge = createEnvelopes({ secrets, clock: systemClock, role: 'edge' });
  const module = createEnvelopes({ secrets, clock: systemClock, role: 'module:orchestrator' });
  const envelope = edge.seal(writer, 'module:orchestrator', bound);
  tell('seal an envelope', await cost(() => edge.seal(writer, 'module:orchestrator', bound)), 'µs');
  tell('open an envelope', await cost(() => module.open(envelope, bound)), 'µs');
};

const tokenCosts = async (): Promise<void> => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'bench' };
  const [issuer, audience] = ['http://authority.test', 'landfall'];
  const keys = createKeys(async () => [jwk], { clock: systemClock });
  const edge = createEdge({ issuer, audience, keys, clock: systemClock, isRevoked: async () => false });
  const claims = { 'svc:tenant': 'acme', client_id: 'console', scope: 'release:read orch:read' };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(writer.subject)
    .setJti(randomIds.uuid())
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const requestHeaders = readRequestHeaders(
    { headers: {}, rawHeaders: ['authorization', `Bearer ${token}`] },
    randomIds,
  );
  tell('verify a token', await cost(() => edge.bearer(requestHeaders, { fresh: true })), 'µs');
  tell('verify a token again within 5 s', await cost(() => edge.bearer(requestHeaders)), 'µs');
};

/** Measures a read without database: admission, input check and dispatch. */
const operationCosts = async (): Promise<void> => {
  const unused = (): never => {
    throw new Error('this bench has no database');
  };
  const query: Query = { find: unused, get: unused, list: unused, run: unused };
  const database: Database = {
    read: (_tenant, use) => use(query),
    write: unused,
    system: { read: unused, write: unused },
    close: async () => {},
  };
  const operation = createOperations(database, secrets);
  const find = operation({
    name: 'note.find',
    kind: 'read',
    scope: ['orch:operate'],
    input: Type.Object({ id: idOf('Note') }),
    run: async (_who, { id }) => id,
  });
  const input = { id: exampleId('Note') };
  tell('an operation around its work', await cost(() => find(writer, input)), 'µs');
};

await envelopeCosts();
await tokenCosts();
await operationCosts();
