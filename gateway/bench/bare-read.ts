// The bare limit of a REST read: a Fastify route that verifies the token with `jose` and sends the statements of an
// operation with `pg`. It takes the statements from the product itself, so that they are always the same.
// node bare-read.ts <settings as JSON>; prints its address.
import { randomBytes } from 'node:crypto';
import { systemClock } from '@landfall/kernel/core/clock';
import { randomIds } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import type { Database } from '@landfall/kernel/db/database';
import { queryOn, sendOn } from '@landfall/kernel/db/query';
import { compile, type Statement } from '@landfall/kernel/db/sql';
import { noHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import { createOperations } from '@landfall/kernel/operation/operation';
import { openEgress } from '@landfall/kernel/system/egress';
import { silentLog } from '@landfall/kernel/system/log';
import { caller } from '@landfall/kernel/testing/callers';
import { createOrchestrator } from '@landfall/orchestrator';
import Fastify from 'fastify';
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import pg from 'pg';
import Type from 'typebox';
import { Parse } from 'typebox/value';

const CONNECTIONS = 16;
/** Time for which a token is cached, as in the product, in milliseconds. */
const CACHE_MS = 5_000;

const settings = Parse(
  Type.Object({
    databaseUrl: Type.String(),
    authUrl: Type.String(),
    audience: Type.String(),
    tenant: Type.String(),
    path: Type.String(),
    /** Operation behind the path, and its input. */
    operation: Type.String(),
    input: Type.Unknown(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);
const { databaseUrl, authUrl: issuer, audience, tenant, path, operation, input } = settings;

const pool = new pg.Pool({
  connectionString: databaseUrl,
  options: `-c role=landfall_app -c landfall.tenant=${tenant}`,
  max: CONNECTIONS,
});

/** Records the statements that the product sends for this read. */
const statementsOf = async (): Promise<readonly Statement[]> => {
  const noted: Statement[] = [];
  const client = await pool.connect();
  const send = sendOn(client);
  const query = queryOn((statement, shape) => {
    noted.push(compile(statement));
    return send(statement, shape);
  });
  const refuse = (): never => {
    throw new Error('a read was expected');
  };
  const database: Database = {
    read: (_tenant, use) => use(query),
    write: refuse,
    system: { read: refuse, write: refuse },
    close: async () => {},
  };
  const secrets = createSecrets([randomBytes(32)]);
  const { operations } = createOrchestrator(
    {
      database,
      secrets,
      operation: createOperations(database, secrets),
      clock: systemClock,
      ids: randomIds,
      http: createHttpClient({ egress: openEgress }),
      egress: openEgress,
      hints: noHints,
      log: silentLog,
    },
    {
      platformDomain: 'landfall.example',
      agentUrl: 'https://127.0.0.1:4002',
      deploymentLogDays: 30,
      signingKeys: createSigningKeys({ database, secrets, log: silentLog }),
    },
  );
  const read = operations.find(({ spec }) => spec.name === operation);
  if (!read) throw new Error(`there is no operation ${operation}`);
  await read(caller({ tenant, subject: 'bench', scopes: ['release:read'] }), input);
  client.release();
  return noted;
};

const statements = await statementsOf();
const keySet = createLocalJWKSet(Parse(Type.Any(), await (await fetch(`${issuer}/oauth/introspect`)).json()));

const known = new Map<string, { readonly payload: JWTPayload; readonly until: number }>();
const verify = async (token: string): Promise<JWTPayload> => {
  const entry = known.get(token);
  if (entry && entry.until > Date.now()) return entry.payload;
  const { payload } = await jwtVerify(token, keySet, { issuer, audience, typ: 'at+jwt' });
  known.set(token, { payload, until: Date.now() + CACHE_MS });
  return payload;
};

const app = Fastify();
app.get(path, async (request, reply) => {
  await verify((request.headers.authorization ?? '').replace('Bearer ', ''));
  const client = await pool.connect();
  try {
    const rows: unknown[][] = [];
    for (const { name, text, values } of statements)
      rows.push((await client.query({ name: name ?? '', text, values })).rows);
    return reply.type('application/json; charset=utf-8').send(JSON.stringify(rows));
  } finally {
    client.release();
  }
});
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
process.once('SIGTERM', () => process.exit(0));
