// Program for crash.test.ts: makes the export that waits, until it is killed.

import { createDocumentSeal } from '@landfall/attestation/archive/document-seal';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { createHttpClient } from '@landfall/kernel/http/client';
import { openEgress } from '@landfall/kernel/system/egress';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { silentLog } from '@landfall/kernel/system/log';
import { fixedClock } from '@landfall/kernel/testing/clock';
import { noHints } from '@landfall/kernel/testing/idle-events';
import { seededIds } from '@landfall/kernel/testing/ids';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createBundleContents } from '../bundles/bundle-contents.ts';
import { createDiskObjects } from '../objects/disk-objects.ts';
import { createExportWorker } from './export-worker.ts';

const input = Parse(
  Type.Object({
    connection: Type.Object({ host: Type.String(), port: Type.Number(), user: Type.String(), database: Type.String() }),
    objects: Type.String(),
    rootKey: Type.String(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);

armFromEnvironment(process.env);
const deps = {
  database: createDatabase({ connection: input.connection }),
  secrets: createSecrets([Buffer.from(input.rootKey, 'hex')]),
  http: createHttpClient({ egress: openEgress }),
  clock: fixedClock(),
  ids: seededIds('crash'),
  log: silentLog,
};
const platformDomain = 'landfall.example';
const { turn } = createExportWorker({
  ...deps,
  hints: noHints,
  objects: createDiskObjects({
    objects: input.objects,
    quarantine: `${input.objects}-quarantine`,
    trash: `${input.objects}-trash`,
  }),
  contents: createBundleContents(deps),
  doubt: async () => undefined,
  seal: createDocumentSeal(deps, { platformDomain, signingKeys: createSigningKeys(deps) }),
  platformDomain,
});
await turn();
process.stdout.write('made\n');
