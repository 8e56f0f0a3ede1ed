import { Readable } from 'node:stream';
import { type Id, type TenantId, toTenantId } from '@landfall/kernel/core/ids';
import { json, text } from '@landfall/kernel/db/columns';
import { sql } from '@landfall/kernel/db/sql';
import { table } from '@landfall/kernel/db/table';
import { type Person, people } from '@landfall/kernel/testing/callers';
import Type from 'typebox';
import { importEpss, importKev } from '../feeds/exploitation-import.ts';
import { bodyOf, bomThrough } from './bom.ts';
import { importRecords } from './feeds.ts';
import { osvRecord } from './osv.ts';
import { scannerApp } from './scanner-app.ts';

const DAY_MS = 86_400_000;

const events = table('kernel.events rescoring', { type: text, data: json(Type.Record(Type.String(), Type.Unknown())) });

type Options = Parameters<typeof scannerApp>[0];

/** The scanner with a feed about npm's package gate and functions that change what is known. */
export const rescoreApp = async (options: Options = {}) => {
  const app = await scannerApp(options);
  const { deps, module } = app;
  await importRecords(deps, [osvRecord('CVE-2026-1000', 'gate')]);
  let minutes = 0;
  /** Date of the next version of a feed, after those of the records as they are first. */
  const nextDate = (): string => {
    minutes += 1;
    return new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();
  };
  return {
    ...app,
    /** Imports a version of an advisory that is newer than all before. */
    advise: (id: string, packageName = 'gate', more: object = {}) =>
      importRecords(deps, [osvRecord(id, packageName, { modified: nextDate(), ...more })]),
    epss: async (score: string, cve = 'CVE-2026-1000') => {
      const csv = `#model_version:v1,score_date:${nextDate()}\ncve,epss,percentile\n${cve},${score},0.5\n`;
      await importEpss(deps, Readable.from([Buffer.from(csv)]));
    },
    kev: async (...cveIds: readonly string[]) => {
      const catalogue = {
        dateReleased: nextDate(),
        vulnerabilities: cveIds.map((cveID) => ({ cveID, dueDate: '2026-02-01' })),
      };
      await importKev(deps, JSON.stringify(catalogue), catalogue);
    },
    /** Scans a bill that depends on gate 1.1.0. @returns the scan's id */
    scan: async (name = 'wall', imageDigest?: string, as: Person = 'scan-operator'): Promise<Id<'Scan'>> => {
      const who = people[as];
      const { digest: sbomDigest } = await module.scans.receive(who, bodyOf(bomThrough(name)));
      const { scan } = await module.scans.create(who, { sbomDigest, ...(imageDigest && { imageDigest }) });
      await module.runScans();
      return scan.id;
    },
    get: (id: string, as: Person = 'scan-operator') => module.scans.get(people[as], { id }),
    history: (scanId: string) => module.manifests.scoreHistory(people['scan-operator'], { scanId }),
    findings: async (scanId: string) =>
      (await module.scans.findings.ofScan(people['scan-operator'], { scanId })).items.map(({ vulnId }) => vulnId),
    replay: (scanId: string, manifestHash?: string) =>
      module.replays.replay(people['scan-operator'], { scanId, ...(manifestHash && { manifestHash }) }),
    /** Data of the events of a type, oldest first. */
    eventsOf: async (type: string, tenant: TenantId = toTenantId('acme')) =>
      (
        await app.rows(
          events,
          sql`/* kernel.events.listOfType */ select type, data from kernel.events
          where tenant = ${tenant} and type = ${type} order by id`,
        )
      ).map(({ data }) => data),
    advanceDays: (days: number) => app.clock.advance(days * DAY_MS),
  };
};
