import { randomIds, toTenantId } from '@landfall/kernel/core/ids';
import {
  CannotCheck,
  type Command,
  type CommandHost,
  callersPath,
  DATABASE_HELP,
  type ExitCode,
  type Installation,
  parse,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';
import { type Owner, SHARED } from '../corpus/chunk.ts';
import { FORMATS, isFormat } from '../importers/reader.ts';
import { type ImportOutcome, type ImportProgress, isSource } from '../imports/imports.ts';
import { openImports } from '../imports/open-imports.ts';

const WHERE = `${DATABASE_HELP} A server that runs finds what was imported within a second.`;

const IMPORT_HELP = `usage: landfall search import <file-or-folder>... (--tenant <slug> | --shared) [flags]

Reads advisories, VEX statements, bills of materials and policies, so that search finds them: single files, lists and lines
of JSON, YAML, CSV and Markdown with TOML, folders, .zip and .gz. What cannot be read is told with its file and line; the
rest is imported. Files of a folder that no importer reads are left aside, counted and listed. The same files again change
nothing.

  --tenant SLUG     whose documents they are; may be left out where there is one tenant
  --shared          everybody's: every tenant of this installation finds them
  --format FORMAT   ${FORMATS.join(', ')}; read from the content unless given
  --source NAME     under which name the documents are kept; the format's unless given
  --replace         these files are all of the source, which --source names: what it had and is not in them is removed.
                    Where something could not be read, nothing is

A record has at most 64 MiB, an archive at most 16 GiB when it is unpacked. Exit code 1: something could
not be read, or nothing was; the rest is imported.

${WHERE}`;

const STATUS_HELP = `usage: landfall search status [--tenant <slug>]

Says what can be found, by tenant, domain and source, and how the latest imports went. '*' is everybody's.

${WHERE}`;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Upper bound of refusals that are printed one by one. */
const MAX_LISTED = 50;
/** Upper bound of skipped files that are printed one by one: a repository has many. */
const MAX_LISTED_SKIPS = 20;

/** Owner of the documents: the tenant given, or the only one of the installation. */
const ownerOf = async (
  host: CommandHost,
  installation: Installation,
  { tenant, shared: isShared = false }: { readonly tenant?: string; readonly shared?: boolean },
): Promise<Owner> => {
  if (isShared && tenant !== undefined) throw new UsageError('--tenant and --shared exclude each other.');
  if (isShared) return SHARED;
  const tenants = await host.tenants(installation);
  const [only] = tenants;
  if (tenant === undefined && only !== undefined && tenants.length === 1) return toTenantId(only);
  if (tenant === undefined) throw new UsageError('--tenant is missing, or --shared.');
  if (!tenants.includes(tenant)) throw new CannotCheck(`There is no tenant ${tenant}.`);
  return toTenantId(tenant);
};

/** Progress line of a terminal, overwritten in place. */
const progressLine = () => {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: undefined, clear: () => {} };
  return {
    show: ({ documents, refused, file }: ImportProgress): void => {
      const line = `${counted(documents, 'document')}, ${refused} refused  ${file}`;
      stderr.write(`\r\u001b[K${line.slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}`);
    },
    clear: () => void stderr.write('\r\u001b[K'),
  };
};

const refusalLine = ({ file, line, reason }: ImportOutcome['refusals'][number]): string =>
  `refused: ${file}${line === undefined ? '' : `:${line}`}: ${reason}`;

const summaryOf = (outcome: ImportOutcome): string[] => {
  const { documents, added, changed, unchanged, removed, refused, skipped, repeated, sources, refusals } = outcome;
  const { read, written, skippedFiles, reasons } = outcome;
  const more = refused - Math.min(MAX_LISTED, refusals.length);
  const furtherSkipped = skipped - Math.min(MAX_LISTED_SKIPS, skippedFiles.length);
  return [
    ...refusals.slice(0, MAX_LISTED).map(refusalLine),
    ...(more > 0 ? [`refused: ${more} more`] : []),
    `${counted(documents, 'document')}${sources.length > 0 ? ` of ${sources.join(', ')}` : ''}: ${counted(added, 'chunk')} new, ${changed} changed, ${unchanged} unchanged, ${removed} removed`,
    `${counted(read, 'record')} read: ${written} written, ${documents - written} unchanged, ${repeated} repeated, ${refused} refused, ${skipped} left aside`,
    ...Object.entries(reasons).map(([reason, times]) => `left aside: ${times} (${reason})`),
    ...skippedFiles.slice(0, MAX_LISTED_SKIPS).map(({ file, reason }) => `left aside: ${file}: ${reason}`),
    ...(furtherSkipped > 0 ? [`left aside: ${furtherSkipped} more`] : []),
    ...(documents === 0 ? ['Nothing was imported: no file has a document in a format that is read.'] : []),
    ...(outcome.isKept ? ['Nothing was removed, since not everything could be read.'] : []),
  ];
};

/** Signal that Ctrl-C aborts: documents written so far stay, and the import is recorded as aborted. */
const interruptible = (): { readonly signal: AbortSignal } & Disposable => {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new CannotCheck('The import was ended; what was imported so far stays.'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
};

const readImport = (args: readonly string[], terminal: Terminal) => {
  const options = {
    tenant: { type: 'string' },
    shared: { type: 'boolean' },
    format: { type: 'string' },
    source: { type: 'string' },
    replace: { type: 'boolean' },
  } as const;
  const { positionals, values } = parse(args, { options, names: ['<file-or-folder>'], isOpen: true });
  const { format, source } = values;
  if (format !== undefined && !isFormat(format)) throw new UsageError(`--format is one of ${FORMATS.join(', ')}.`);
  if (source !== undefined && !isSource(source))
    throw new UsageError(`--source '${source}' is no name for a source, or the platform's own.`);
  if (values.replace && source === undefined)
    throw new UsageError(
      `--replace takes --source. Every import without a source shares its format's, and to replace that would remove what was
imported from elsewhere. Give each repository a source of its own; --source openvex, say, where these files are all of it.`,
    );
  const files = positionals.map((name) => ({ name, path: callersPath(name, terminal) }));
  return { files, values, format, source };
};

export const searchImport = (host: CommandHost): Command => ({
  help: IMPORT_HELP,
  async run(args, terminal): Promise<ExitCode> {
    const { files, values, format, source } = readImport(args, terminal);
    await using installation = await host.open();
    const owner = await ownerOf(host, installation, values);
    const tools = openImports({ ...installation, ids: randomIds });
    const progress = progressLine();
    using interrupt = interruptible();
    try {
      const { signal } = interrupt;
      const request = { owner, files, format, source, isWhole: values.replace, signal, onProgress: progress.show };
      const outcome = await tools.import(request);
      progress.clear();
      for (const line of summaryOf(outcome)) terminal.print(line);
      return outcome.refused > 0 || outcome.documents === 0 ? 1 : 0;
    } catch (error) {
      progress.clear();
      throw error;
    }
  },
});

export const searchStatus = (host: CommandHost): Command => ({
  help: STATUS_HELP,
  async run(args, { print }) {
    const { values } = parse(args, { options: { tenant: { type: 'string' } }, names: [] });
    await using installation = await host.open();
    const owner = values.tenant === undefined ? undefined : await ownerOf(host, installation, values);
    const { corpora, imports } = await openImports({ ...installation, ids: randomIds }).status(owner);
    for (const { tenant, domain, source, documentCount, chunkCount, updatedAt } of corpora)
      print(
        [
          tenant,
          domain,
          source,
          counted(documentCount, 'document'),
          counted(chunkCount, 'chunk'),
          updatedAt.toISOString(),
        ].join('  '),
      );
    if (corpora.length === 0) print('There is nothing to find yet: landfall search import.');
    for (const { tenant, source, state, documents, refused, removed, startedAt, error } of imports)
      print(
        [
          'import',
          startedAt.toISOString(),
          tenant,
          source,
          state,
          counted(documents, 'document'),
          `${refused} refused`,
          `${removed} removed`,
          ...(error === null ? [] : [error]),
        ].join('  '),
      );
    return 0;
  },
});
