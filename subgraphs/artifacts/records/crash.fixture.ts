// Program for crash.test.ts: puts one artifact until it is killed.

import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createDatabase } from '@landfall/kernel/db/database';
import { createOperations } from '@landfall/kernel/operation/operation';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { people } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createDiskObjects } from '../objects/disk-objects.ts';
import { createStaging } from '../objects/staging.ts';
import { createPlacing } from './placing.ts';
import { createPutting } from './putting.ts';

const input = Parse(
  Type.Object({
    connection: Type.Object({ host: Type.String(), port: Type.Number(), user: Type.String(), database: Type.String() }),
    objects: Type.String(),
    incoming: Type.String(),
    content: Type.String(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);

armFromEnvironment(process.env);
const database = createDatabase({ connection: input.connection });
const staging = createStaging(input.incoming, 1_000_000);
const objects = createDiskObjects({
  objects: input.objects,
  quarantine: `${input.objects}-quarantine`,
  trash: `${input.objects}-trash`,
});
const placing = createPlacing({ database, objects, staging, prefix: 'artifacts', retentionDays: 1 });
const operation = createOperations(database, createSecrets([Buffer.alloc(32)]));
const { put } = createPutting({ operation, placing, staging });
await put(people['evidence-operator'], { content: input.content });
process.stdout.write('put\n');
