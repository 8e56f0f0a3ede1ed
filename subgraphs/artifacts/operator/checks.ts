import { randomUUID } from 'node:crypto';
import { randomIds } from '@landfall/kernel/core/ids';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import { createHttpClient } from '@landfall/kernel/http/client';
import { type Check, fail, type Inspection, ifTable, pass, warn } from '@landfall/kernel/operator/check';
import { openEgress } from '@landfall/kernel/system/egress';
import { settingsOf } from '@landfall/kernel/system/settings';
import { createS3Client, type S3Client } from '../objects/s3-client.ts';
import { artifactSettings, bucketOf } from '../shared/settings.ts';
import { countFailures } from './checks.store.ts';

/** Statuses of servers that do not know a request. */
const UNKNOWN = [400, 404, 405, 409, 501] as const;

const probe = (text: string) => ({ sha256: sha256Hex(text), sizeBytes: text.length, open: () => Buffer.from(text) });

/** Protections that the server of a bucket ignores, tried on a probe that is removed again. */
const ignoredBy = async (client: S3Client, isLocked: boolean): Promise<readonly string[]> => {
  const key = `.landfall-probe-${randomUUID()}`;
  const put = { method: 'PUT', key, accepts: [...UNKNOWN, 412] } as const;
  await client.send({ ...put, body: probe('1') });
  try {
    const again = await client.send({ ...put, headers: { 'if-none-match': '*' }, body: probe('2') });
    const wrong = Buffer.alloc(32).toString('base64');
    const changed = await client.send({ ...put, headers: { 'x-amz-checksum-sha256': wrong }, body: probe('3') });
    const lock = isLocked ? await client.send({ query: { 'object-lock': '' }, accepts: UNKNOWN }) : undefined;
    return [
      ...(again.status === 412 ? [] : ['conditional writes (If-None-Match)']),
      ...(changed.status === 400 ? [] : ['checksums (x-amz-checksum-sha256)']),
      ...(lock && !lock.body.includes('<ObjectLockEnabled>Enabled<') ? ['Object Lock'] : []),
    ];
  } finally {
    await client.send({ method: 'DELETE', key });
  }
};

const inspect = async ({ settings, now }: Inspection) => {
  const own = settingsOf(artifactSettings, settings);
  const bucket = bucketOf(own);
  if (!bucket) return pass('a directory of this machine holds them');
  const http = createHttpClient({ egress: openEgress, timeouts: { total: 5_000 } });
  const isLocked = own.s3ObjectLock !== 'none';
  try {
    const ignored = await ignoredBy(createS3Client({ http, ids: randomIds, bucket, now }), isLocked);
    if (ignored.length === 0) return pass(`the bucket ${bucket.bucket} holds them`);
    const summary = `the server of the bucket ${bucket.bucket} ignores ${ignored.join(', ')}`;
    return ignored.includes('Object Lock') ? fail(summary) : warn(summary);
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  } finally {
    await http.close();
  }
};

export const artifactChecks: readonly Check[] = [
  {
    id: 'evidence-objects',
    title: 'The objects of evidence can be stored, and their storage keeps its promises',
    meaning:
      'Evidence is hashed again whenever it is read. A server that ignores conditional writes, checksums or Object Lock leaves it to this alone: damage is found, but not prevented.',
    remedy:
      'Compare `Artifacts:S3:*` with the object store: address, bucket, credentials; make the bucket with Object Lock, or set `Artifacts:S3:ObjectLock=none`.',
    inspect,
  },
  {
    id: 'evidence-arrivals',
    title: 'Every document of the platform is in the store of evidence',
    meaning:
      'Bills of materials of scans and statements of releases and deployments are put by the platform. One that cannot be put is missing in bundles until it is.',
    remedy:
      'The graph lists them with their reasons (`evidenceArrivalFailures`), the log has the causes. Each is tried again by itself, once a day at last.',
    inspect: ifTable('evidence.arrival_failures', async (query) => {
      const { documents } = await countFailures(query);
      return documents === 0 ? pass('none waits') : warn(`${documents} wait and are tried again`);
    }),
  },
];
