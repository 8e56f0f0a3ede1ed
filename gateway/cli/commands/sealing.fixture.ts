/**
 * Program of audit-crash.full.test.ts: seals events and records the seals in the log, with the database and root key of
 * its arguments. It is killed at the failpoint of its environment.
 */

import { createTransparencyLog } from '@landfall/attestation/log/log';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { logSeals, sealBatch } from '@landfall/kernel/events/sealer';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import { parseRootKeys } from '../../process/root-key.ts';

const [url = '', rootKey = '', origin = ''] = process.argv.slice(2);
armFromEnvironment(process.env);
const database = createDatabase({ connection: { connectionString: url }, max: 4 });
const keys = createSigningKeys({ database, secrets: createSecrets(parseRootKeys(rootKey)), log: silentLog });
const { log } = createTransparencyLog({ database }, { origin, keys });

while ((await sealBatch({ database }, 4)) > 0);
while ((await logSeals({ database }, { origin, append: log.append })) > 0);
await database.close();
