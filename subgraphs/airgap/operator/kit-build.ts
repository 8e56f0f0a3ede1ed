import { mkdtemp, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemCaller } from '@landfall/kernel/core/caller';
import { systemClock } from '@landfall/kernel/core/clock';
import { randomIds } from '@landfall/kernel/core/ids';
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
import { buildKit, type KitSource } from '../kits/build.ts';
import { DOCUMENTS } from '../kits/feeds-loader.ts';
import { createReleaseKits } from '../kits/release-build.ts';
import { readWantList, type WantList } from '../kits/want-list.ts';
import { roots } from '../roots/root.ts';
import { readFileOf, rootSignersOf } from './key-files.ts';

const options = {
  root: { type: 'string' },
  key: { type: 'string', multiple: true },
  channel: { type: 'string', default: 'main' },
  sequence: { type: 'string' },
  days: { type: 'string', default: '30' },
  'part-size': { type: 'string', default: '4000' },
  release: { type: 'string' },
  tenant: { type: 'string' },
  trust: { type: 'string' },
  want: { type: 'string' },
  'site-key': { type: 'string' },
} as const;

const MEBIBYTE = 1_048_576;
const DAY_MS = 86_400_000;

const wholeSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const parsed = (args: readonly string[]) => parse(args, { options, names: ['<directory>'], isOpen: true });

type Values = ReturnType<typeof parsed>['values'];

/** List of what the site has, verified by the public key of the site. */
const wantListOf = async ({ want, 'site-key': siteKey }: Values, terminal: Terminal): Promise<WantList | undefined> => {
  if (want === undefined) return undefined;
  if (siteKey === undefined) throw new UsageError('--want needs --site-key, the public key that signed the list.');
  return readWantList(await readFileOf(want, terminal), await readFileOf(siteKey, terminal));
};

/** Feeds of a command line as files of a kit. */
const feedSources = async (host: CommandHost, paths: readonly string[], terminal: Terminal): Promise<KitSource[]> => {
  const feeds = await host.feeds();
  const sources: KitSource[] = [];
  for (const [index, name] of paths.entries()) {
    const file = callersPath(name, terminal);
    const found = await stat(file).catch((error: unknown) => {
      throw cannotRead(name, error);
    });
    if (!found.isFile())
      throw new CannotCheck(`<feed> ${name} is a directory; name a file, or pack it as a ZIP archive.`);
    const documents = await feeds.countDocuments({ path: file, name });
    if (documents === 0)
      throw new CannotCheck(`${name} is no feed: OSV in JSON, YAML or a ZIP archive, KEV, EPSS or SSVC.`);
    const unreadable = await feeds.findUnreadable({ path: file, name });
    if (unreadable)
      throw new CannotCheck(`${unreadable.file} would make sites refuse the kit: ${unreadable.reason}. Leave it out.`);
    const path = `feeds/${index + 1}/${basename(name)}`;
    sources.push({ path, file, kind: 'feed', counts: { [DOCUMENTS]: documents } });
  }
  return sources;
};

interface ReleaseInput {
  readonly named: string;
  readonly values: Values;
  readonly terminal: Terminal;
  readonly directory: string;
  readonly want: WantList | undefined;
}

/** Content of a release as files of a kit. */
const releaseSources = async (host: CommandHost, input: ReleaseInput): Promise<readonly KitSource[]> => {
  const { named, values, terminal, directory, want } = input;
  const [, name = '', semver = ''] = /^(.+)@([^@]+)$/.exec(named) ?? [];
  await using installation = await host.open();
  const tenant = await host.tenantOf(installation, values.tenant);
  await using services = await host.transfers(installation);
  const { database } = installation;
  const release = await database.read(tenant, (query) => services.releases.find(query, tenant, name, semver));
  if (!release)
    throw new CannotCheck(`There is no finalized release ${named}. Write it as product@version, such as shop@1.3.0.`);
  // Awaited here: the database and the registries close with this scope.
  return await createReleaseKits({ database, ...services })({
    caller: systemCaller(tenant, 'command-line', randomIds.uuid()),
    release,
    directory,
    trust: values.trust === undefined ? undefined : await readFileOf(values.trust, terminal),
    omitted: new Set(want?.contents ?? []),
  });
};

/** `landfall kit build`. */
export const kitBuild = (host: CommandHost): Command => ({
  help: `usage: landfall kit build <directory> [<feed>...] --root <root.json> --key <private key>... --sequence <n>
                          [--release <product>@<version>] [--tenant <tenant>] [--trust <trust.json>]
                          [--channel main] [--days 30] [--part-size 4000] [--want <file> --site-key <file>]

Builds an offline kit into the empty <directory>: a signed manifest, and parts of at most --part-size MiB. Feeds are OSV's
all.zip or single advisories, CISA's KEV and SSVC, FIRST's EPSS. --release takes the images of a release with all that is
attached to them from its registry; --trust, a copy of /tlog/trust.json, adds the attestations of this platform. --want
is the list of what the site has: the kit omits that. Sites take a kit while its sequence is the highest of its channel
and --days have not passed.

${DATABASE_HELP}`,
  async run(args, terminal): Promise<ExitCode> {
    const { values, positionals } = parsed(args);
    const [directory = '', ...feeds] = positionals;
    if ((values.release === undefined) === (feeds.length === 0))
      throw new UsageError('A kit has either feeds or a release.');
    if (values.root === undefined) throw new UsageError('--root is missing.');
    const root = roots.read(await readFileOf(values.root, terminal));
    const signers = await rootSignersOf(values.key ?? [], root, terminal);
    const want = await wantListOf(values, terminal);
    const target = callersPath(directory, terminal);
    const staging = await mkdtemp(`${target}.`);
    try {
      const sources =
        values.release === undefined
          ? await feedSources(host, feeds, terminal)
          : await releaseSources(host, { named: values.release, values, terminal, directory: staging, want });
      const now = systemClock.now().getTime();
      const head = want?.heads.find(({ channel }) => channel === values.channel);
      const kit = await buildKit(
        {
          kitId: randomIds.uuid(),
          kind: values.release === undefined ? 'feeds' : 'release',
          channel: values.channel,
          sequence: wholeNumber(values.sequence, '--sequence'),
          previousKitDigest: head?.digest ?? null,
          rootVersion: root.value.version,
          createdAt: wholeSeconds(now),
          expiresAt: wholeSeconds(now + wholeNumber(values.days, '--days') * DAY_MS),
          partSize: wholeNumber(values['part-size'], '--part-size') * MEBIBYTE,
        },
        sources,
        { directory: target, signers, omitted: new Set(want?.contents ?? []) },
      );
      const { archive, components, kitId } = kit.value;
      terminal.print(`Kit ${kitId}, ${kit.digest}`);
      terminal.print(
        `${counted(components.length, 'component')}, ${counted(archive.size, 'byte')} in ${counted(archive.parts.length, 'part')}.`,
      );
      const { length } = signers;
      if (length < root.value.threshold)
        terminal.print(
          `Signatures that are missing: ${root.value.threshold - length}. Next: landfall kit sign ${join(directory)} --root ${values.root}`,
        );
      return 0;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
});
