// Program for crash.full.test.ts: attests statements that are due, and submits them, until it is killed.
import { systemClock } from '@landfall/kernel/core/clock';
import { randomIds } from '@landfall/kernel/core/ids';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { createHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import type { Deps } from '@landfall/kernel/module';
import { createOperations } from '@landfall/kernel/operation/operation';
import { openEgress } from '@landfall/kernel/system/egress';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createOrchestrator } from '../../index.ts';

const input = Parse(
  Type.Object({
    connection: Type.Object({ host: Type.String(), port: Type.Number(), user: Type.String(), database: Type.String() }),
    rootKey: Type.String(),
    timestampUrl: Type.Optional(Type.String()),
    timestampChainFile: Type.Optional(Type.String()),
    rekorUrl: Type.String(),
    rekorToken: Type.String(),
    rekorKey: Type.String(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);

armFromEnvironment(process.env);
const { connection, rootKey, ...settings } = input;
const database = createDatabase({ connection });
const secrets = createSecrets([Buffer.from(rootKey, 'hex')]);
const deps: Deps = {
  database,
  secrets,
  hints: createHints(connection),
  log: silentLog,
  http: createHttpClient({ egress: openEgress }),
  egress: openEgress,
  clock: systemClock,
  ids: randomIds,
  operation: createOperations(database, secrets),
};
const { runOnce } = createOrchestrator(deps, {
  ...settings,
  platformDomain: 'landfall.example',
  agentUrl: 'https://127.0.0.1:4002',
  deploymentLogDays: 30,
  signingKeys: createSigningKeys(deps),
});
while ((await runOnce.attestor()) + (await runOnce.external()) > 0);
