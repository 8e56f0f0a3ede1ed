// Program for crash.test.ts: imports one bundle until it is killed.

import { randomIds } from '@landfall/kernel/core/ids';
import { createDatabase } from '@landfall/kernel/db/database';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { people } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { bundles } from './bundle.ts';
import { importBundle } from './import.ts';

const { connection, bundle } = Parse(
  Type.Object({
    connection: Type.Object({ host: Type.String(), port: Type.Number(), user: Type.String(), database: Type.String() }),
    bundle: Type.String(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);

armFromEnvironment(process.env);
const who = people['airgap-operator'];
await createDatabase({ connection }).write(who.tenant, (tx) =>
  importBundle(tx, who, { ids: randomIds, now: new Date() }, bundles.read(bundle)),
);
