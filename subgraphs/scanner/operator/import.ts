import {
  type Command,
  type CommandHost,
  callersPath,
  DATABASE_HELP,
  type ExitCode,
  parse,
} from '@landfall/kernel/operator/command';
import { importFeeds } from '../feeds/feed-import.ts';

const HELP = `usage: landfall scanner import <file-or-directory>...

Imports what scans are matched against, for every tenant of this installation: advisories in the OSV format (JSON, YAML, a
ZIP archive such as OSV's all.zip, or a directory of them), CISA's KEV catalogue (JSON), CISA's SSVC decision points (the
CVE records of its vulnrichment repository), and FIRST's EPSS scores (CSV, also gzip). What a file is, its content says. The
same files again change nothing; older versions never replace newer ones, nor does a catalogue without a date; withdrawn advisories stay and match nothing.

Exit code 1: something could not be read, or nothing was imported; the rest is imported.

${DATABASE_HELP}`;

/** Upper bound of problems that are printed one by one. */
const PRINTED = 50;

const printed = <T>(all: readonly T[], line: (each: T) => string, label: string): string[] => [
  ...all.slice(0, PRINTED).map((each) => `${label}: ${line(each)}`),
  ...(all.length > PRINTED ? [`${label}: ${all.length - PRINTED} more`] : []),
];

const ssvcRecords = ({ written, unchanged, unrated }: Awaited<ReturnType<typeof importFeeds>>['ssvc']): number =>
  written + unchanged + unrated;

/** `landfall scanner import`. */
export const scannerImport = (host: CommandHost): Command => ({
  help: HELP,
  async run(args, terminal): Promise<ExitCode> {
    const { positionals } = parse(args, { options: {}, names: ['<file-or-directory>'], isOpen: true });
    const paths = positionals.map((name) => ({ name, path: callersPath(name, terminal) }));
    await using installation = await host.open();
    const { advisories, ssvc, catalogues, refused, partial, skipped } = await importFeeds(installation, paths);
    const lines = [
      ...printed(refused, ({ file, reason }) => `${file}: ${reason}`, 'refused'),
      ...printed(partial, ({ file, reason }) => `${file}: ${reason}`, 'left out'),
      ...catalogues.map(({ file, outcome }) => `${file}: ${outcome}`),
      `advisories: ${advisories.written} written (${advisories.withdrawn} withdrawn), ${advisories.unchanged} unchanged, ${advisories.older} older than stored`,
      ...(ssvcRecords(ssvc) > 0
        ? [`SSVC: ${ssvc.written} written, ${ssvc.unchanged} unchanged, ${ssvc.unrated} records without points`]
        : []),
      ...(skipped > 0 ? [`files of other kinds: ${skipped}`] : []),
    ];
    for (const line of lines) terminal.print(line);
    const read = advisories.written + advisories.unchanged + advisories.older + catalogues.length + ssvcRecords(ssvc);
    return refused.length > 0 || read === 0 ? 1 : 0;
  },
});
