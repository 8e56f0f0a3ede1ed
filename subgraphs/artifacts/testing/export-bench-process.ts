// Process of export-bench.ts: makes one export and writes its archive to nowhere.
import { createDocumentSeal } from '@landfall/attestation/archive/document-seal';
import { createSecrets } from '@landfall/kernel/crypto/secrets';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { createDatabase } from '@landfall/kernel/db/database';
import { createHttpClient } from '@landfall/kernel/http/client';
import { createOperations } from '@landfall/kernel/operation/operation';
import { openEgress } from '@landfall/kernel/system/egress';
import { silentLog } from '@landfall/kernel/system/log';
import { caller } from '@landfall/kernel/testing/callers';
import { fixedClock } from '@landfall/kernel/testing/clock';
import { noHints } from '@landfall/kernel/testing/idle-events';
import { seededIds } from '@landfall/kernel/testing/ids';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { createBundleContents } from '../bundles/bundle-contents.ts';
import { createExportWorker } from '../exports/export-worker.ts';
import { createExports } from '../exports/exports.ts';
import { createDiskObjects } from '../objects/disk-objects.ts';

const input = Parse(
  Type.Object({
    connection: Type.Object({ host: Type.String(), port: Type.Number(), user: Type.String(), database: Type.String() }),
    dataDir: Type.String(),
    rootKey: Type.String(),
    bundleId: Type.String(),
    exportId: Type.String(),
  }),
  JSON.parse(process.argv[2] ?? ''),
);

const database = createDatabase({ connection: input.connection, max: 2 });
const secrets = createSecrets([Buffer.from(input.rootKey, 'hex')]);
const platformDomain = 'landfall.example';
const deps = {
  database,
  secrets,
  operation: createOperations(database, secrets),
  http: createHttpClient({ egress: openEgress }),
  hints: noHints,
  clock: fixedClock(),
  ids: seededIds('bench'),
  log: silentLog,
  objects: createDiskObjects({
    objects: `${input.dataDir}/artifacts/objects`,
    quarantine: `${input.dataDir}/artifacts/quarantine`,
    trash: `${input.dataDir}/artifacts/trash`,
  }),
  contents: createBundleContents({ database }),
  doubt: async () => undefined,
};
const seal = createDocumentSeal(deps, { platformDomain, signingKeys: createSigningKeys(deps) });
const { turn } = createExportWorker({ ...deps, seal, platformDomain });
const exports = createExports({ ...deps, bundles: { exists: async () => undefined } });

const before = process.cpuUsage();
await turn();
const { gzip } = await exports.download(caller({ subject: 'vera', scopes: ['export.viewer'] }), {
  bundleId: input.bundleId,
  exportId: input.exportId,
});
let bytes = 0;
for await (const chunk of gzip) bytes += chunk.length;
const { user, system } = process.cpuUsage(before);
process.send?.({ cpu: (user + system) / 1e6, rss: process.resourceUsage().maxRSS * 1024, bytes });
process.disconnect?.();
await deps.http.close();
await database.close();
