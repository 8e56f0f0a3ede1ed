// Program for crash.test.ts: appends bodies one after the other and prints which were appended, until it is killed.

import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createTransparencyLog } from './log.ts';
import { appendRange, ORIGIN } from './test-log.fixture.ts';

const input = Parse(
  Type.Object({
    connection: Type.Object({ host: Type.String(), port: Type.Number(), user: Type.String(), database: Type.String() }),
    rootKey: Type.String(),
    from: Type.Integer(),
    to: Type.Integer(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);

armFromEnvironment(process.env);
const database = createDatabase({ connection: input.connection });
const secrets = createSecrets([Buffer.from(input.rootKey, 'hex')]);
const keys = createSigningKeys({ database, secrets, log: silentLog });
const log = createTransparencyLog({ database }, { origin: ORIGIN, keys });
for (const { index } of await appendRange(log, input.from, input.to)) process.stdout.write(`${index}\n`);
