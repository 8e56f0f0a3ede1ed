// Program of tests: matches the scans that are due once, or rescores those that are, until it is killed at a failpoint.
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { createHints } from '@landfall/kernel/events/hint';
import { createHttpClient } from '@landfall/kernel/http/client';
import { createOperations } from '@landfall/kernel/operation/operation';
import { openEgress } from '@landfall/kernel/system/egress';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import { loadSettings } from '@landfall/kernel/system/settings';
import { fixedClock } from '@landfall/kernel/testing/clock';
import { seededIds } from '@landfall/kernel/testing/ids';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createScanner } from '../index.ts';
import { scannerSettings } from '../shared/settings.ts';

const { connection, rootKey, work } = Parse(
  Type.Object({
    connection: Type.Object({ host: Type.String(), port: Type.Number(), user: Type.String(), database: Type.String() }),
    rootKey: Type.String(),
    work: Type.Enum(['runScans', 'rescoreScans']),
  }),
  JSON.parse(process.argv[2] ?? ''),
);

armFromEnvironment(process.env);
const database = createDatabase({ connection });
const secrets = createSecrets([Buffer.from(rootKey, 'hex')]);
const deps = {
  database,
  secrets,
  operation: createOperations(database, secrets),
  clock: fixedClock(),
  ids: seededIds('queue'),
  http: createHttpClient({ egress: openEgress }),
  egress: openEgress,
  hints: createHints(connection),
  log: silentLog,
};
const scanner = createScanner(deps, loadSettings(scannerSettings, { env: {} }), {
  signingKeys: createSigningKeys(deps),
  dataDir: '/nonexistent',
  version: '1.2.3',
});
await scanner[work]();
