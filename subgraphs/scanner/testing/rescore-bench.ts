import { Readable } from 'node:stream';
import { toTenantId } from '@landfall/kernel/core/ids';
import { createSigningKeys } from '@landfall/kernel/crypto/signing/signing-keys';
import { loadSettings } from '@landfall/kernel/system/settings';
import { testDeps } from '@landfall/kernel/testing/app';
import { caller } from '@landfall/kernel/testing/callers';
import { importEpss, importKev } from '../feeds/exploitation-import.ts';
import { createScanner } from '../index.ts';
import { scannerSettings } from '../shared/settings.ts';
import { bodyOf } from './bom.ts';
import { importRecords } from './feeds.ts';
import { osvRecord } from './osv.ts';

const who = { ...caller({ subject: 'ci', scopes: ['scanner:read', 'scanner:write'] }), tenant: toTenantId('acme') };

/** Components of a bill; a fifth of them, spread over the bill, has an advisory. */
const COMPONENTS_A_FINDING = 5;

const cveOf = (at: number): string => `CVE-2026-${10_000 + at}`;

const billOf = (scan: number, findings: number): string => {
  const names = Array.from({ length: findings * COMPONENTS_A_FINDING }, (_, at) =>
    at % COMPONENTS_A_FINDING === 0 ? `vulnerable-${at / COMPONENTS_A_FINDING}` : `clean-${at}`,
  );
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: { 'bom-ref': 'app', type: 'application', name: `app ${scan}`, version: '1.0.0' } },
    components: names.map((name) => ({
      'bom-ref': name,
      type: 'library',
      name,
      version: '1.1.0',
      purl: `pkg:npm/${name}@1.1.0`,
    })),
    dependencies: [{ ref: 'app', dependsOn: names }],
  });
};

interface Size {
  readonly scans: number;
  /** Findings of each scan. */
  readonly findings: number;
}

/** The scanner with completed scans over a database of its own, whose EPSS and KEV can change. */
export const rescoreBench = async ({ scans, findings }: Size) => {
  const base = await testDeps();
  const { deps } = base;
  const scanner = createScanner(deps, loadSettings(scannerSettings, { env: {} }), {
    signingKeys: createSigningKeys(deps),
    dataDir: 'unused',
    version: '1.0.0',
  });
  const ids = Array.from({ length: findings }, (_, at) => cveOf(at));
  await importRecords(
    deps,
    ids.map((id, at) => osvRecord(id, `vulnerable-${at}`)),
  );
  let version = 0;
  const changeFeeds = async (): Promise<void> => {
    version += 1;
    const date = new Date(Date.UTC(2026, 0, 1, 0, version)).toISOString();
    const rows = ids.map((id) => `${id},0.${String(version).padStart(4, '0')},0.5`).join('\n');
    await importEpss(deps, Readable.from([Buffer.from(`#score_date:${date}\ncve,epss,percentile\n${rows}\n`)]));
    const catalogue = { dateReleased: date, vulnerabilities: [{ cveID: cveOf(version % findings) }] };
    await importKev(deps, JSON.stringify(catalogue), catalogue);
  };
  await changeFeeds();
  for (let scan = 0; scan < scans; scan++) {
    const { digest: sbomDigest } = await scanner.scans.receive(who, bodyOf(billOf(scan, findings)));
    await scanner.scans.create(who, { sbomDigest, imageDigest: `sha256:${String(scan).padStart(64, '0')}` });
  }
  while ((await scanner.runScans()) > 0);
  return {
    changeFeeds,
    /** Runs one cycle. @returns the number of scans that were rescored */
    rescore: scanner.rescoreScans,
    [Symbol.asyncDispose]: base[Symbol.asyncDispose],
  };
};
