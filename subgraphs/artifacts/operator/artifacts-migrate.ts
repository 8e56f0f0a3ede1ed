import { realpath, stat, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { randomIds, type TenantId } from '@landfall/kernel/core/ids';
import type { Database } from '@landfall/kernel/db/database';
import { createHttpClient } from '@landfall/kernel/http/client';
import {
  CannotCheck,
  type Command,
  type CommandHost,
  callersPath,
  cannotRead,
  counted,
  DATABASE_HELP,
  type ExitCode,
  parse,
  type Terminal,
  UsageError,
  wholeNumber,
} from '@landfall/kernel/operator/command';
import { openEgress } from '@landfall/kernel/system/egress';
import { settingsOf } from '@landfall/kernel/system/settings';
import { createMigration, LEGACY_SOURCES, type MigrationOptions, type MigrationReport } from '../legacy/migration.ts';
import { createObjects, directoryOf } from '../objects/configured-objects.ts';
import { createStaging } from '../objects/staging.ts';
import { createPlacing } from '../records/placing.ts';
import { artifactSettings, checkArtifactSettings, prefixOf } from '../shared/settings.ts';

const HELP = `usage: landfall artifacts migrate DIRECTORY --tenant TENANT [--source evidence|attestor|vex|all] [--dry-run]
       [--copy=false] [--parallelism 4] [--batch-size 100] [--verify] [--report FILE] [--resume]

Puts the files below DIRECTORY/evidence, DIRECTORY/attestor and DIRECTORY/vex in the store of evidence, in the order of their
paths. A file whose content names no bom-ref gets pkg:landfall/legacy/<escaped path> and a serial number from its hash.

  --source       one of the directories; all of them otherwise
  --tenant       id (GUID) or slug of the tenant that gets the records
  --dry-run      reads and counts; writes only the report
  --copy=false   removes each original once its stored bytes were read again and verified; otherwise the originals stay
  --parallelism  files at a time, 1 to 64
  --batch-size   files between two lines of progress, 1 to 10000
  --verify       reads the tree again afterwards, and the stored bytes of every record
  --report       JSON with the counts, and what was left behind with its reason; migration-report.json otherwise
  --resume       accepted: there is no checkpoint, every run scans the tree again, and what is there is not put twice

Links, special files, unreadable files and files above Artifacts:MaxBytes are left behind with their reason; nothing is
followed out of DIRECTORY. Exit code: 0 when every record is in the store, 1 when something was left behind, 2 when the
migration could not run to its end: run it again.

${DATABASE_HELP}`;

const FLAGS = {
  source: { type: 'string', default: 'all' },
  tenant: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  copy: { type: 'string', default: 'true' },
  parallelism: { type: 'string', default: '4' },
  'batch-size': { type: 'string', default: '100' },
  verify: { type: 'boolean', default: false },
  report: { type: 'string', default: 'migration-report.json' },
  resume: { type: 'boolean', default: false },
} as const;

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );

const optionsOf = async (args: readonly string[], terminal: Terminal) => {
  const { values, positionals } = parse(args, { options: FLAGS, names: ['DIRECTORY'] });
  const source = LEGACY_SOURCES.find((each) => each === values.source);
  if (!source && values.source !== 'all')
    throw new UsageError(`--source must be one of ${LEGACY_SOURCES.join(', ')}, all.`);
  if (!['true', 'false'].includes(values.copy)) throw new UsageError('--copy must be true or false.');
  if (values.tenant === undefined) throw new UsageError('--tenant is missing.');
  const named = positionals[0] ?? '';
  const root = await realpath(callersPath(named, terminal)).catch((error: unknown) => {
    throw cannotRead(named, error);
  });
  const sources: (typeof LEGACY_SOURCES)[number][] = [];
  for (const each of source ? [source] : LEGACY_SOURCES) if (await isDirectory(join(root, each))) sources.push(each);
  if (sources.length === 0)
    throw new CannotCheck(`There is no directory ${(source ? [source] : LEGACY_SOURCES).join(', ')} in ${named}.`);
  const reportFile = callersPath(values.report, terminal);
  if (sources.some((each) => reportFile.startsWith(join(root, each) + sep)))
    throw new UsageError('--report must not be in a directory that is migrated.');
  const options: MigrationOptions = {
    root,
    sources,
    isDryRun: values['dry-run'],
    isCopy: values.copy === 'true',
    isVerified: values.verify && !values['dry-run'],
    parallelism: wholeNumber(values.parallelism, '--parallelism', 64),
    batchSize: wholeNumber(values['batch-size'], '--batch-size', 10_000),
  };
  return { options, tenant: values.tenant, reportFile, isResumed: values.resume };
};

const summaryOf = ({ counts }: MigrationReport): string =>
  `${counts.migrated} new, ${counts.present} there already, ${counts.fallback} by their path, ${counts.removed} originals removed, ${counts.verified} verified, ${counts.unmatched} left behind`;

const openMigration = async (host: CommandHost, database: Database) => {
  const { values, platform } = await host.settings();
  const settings = settingsOf(artifactSettings, values);
  checkArtifactSettings(settings);
  const directory = directoryOf(settings, platform.dataDir);
  const http = createHttpClient({ egress: openEgress });
  const objects = createObjects({ http, ids: randomIds }, settings, directory);
  const { maxBytes, retentionDays } = settings;
  const staging = createStaging(join(directory, 'incoming'), maxBytes);
  const placing = createPlacing({ database, objects, staging, prefix: prefixOf(settings), retentionDays });
  return {
    migrate: createMigration({ database, objects, staging, placing, maxBytes }),
    [Symbol.asyncDispose]: () => http.close(),
  };
};

const who = (tenant: TenantId) => systemCaller(tenant, 'artifacts.migration', randomIds.uuid());

/** `landfall artifacts migrate`. */
export const artifactsMigrate = (host: CommandHost): Command => ({
  help: HELP,
  async run(args, terminal): Promise<ExitCode> {
    const { options, tenant: named, reportFile, isResumed } = await optionsOf(args, terminal);
    if (isResumed)
      terminal.warn('There is no checkpoint: the tree is scanned again, and what is there is not put twice.');
    await using installation = await host.open();
    const tenant = await host.tenantOf(installation, named);
    await using migration = await openMigration(host, installation.database);
    const startedAt = new Date();
    try {
      const report = await migration.migrate(who(tenant), options, (soFar, last) =>
        terminal.warn(`${last}: ${summaryOf(soFar)}`),
      );
      const { root, sources, isDryRun, isCopy } = options;
      const head = { tenant, root, sources, isDryRun, isCopy, startedAt, finishedAt: new Date() };
      await writeFile(reportFile, `${JSON.stringify({ ...head, ...report }, undefined, 2)}\n`, { mode: 0o640 });
      terminal.print(`${isDryRun ? 'Dry run: ' : ''}${counted(report.counts.found, 'file')}: ${summaryOf(report)}.`);
      terminal.print(`Report: ${reportFile}`);
      return report.counts.unmatched > 0 ? 1 : 0;
    } catch (error) {
      if (error instanceof Fault)
        throw new CannotCheck(`${error.message} Run it again: what is there is not put twice.`);
      throw error;
    }
  },
});
