import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { randomIds, type TenantId } from '@landfall/kernel/core/ids';
import { parseJson } from '@landfall/kernel/core/json';
import {
  CannotCheck,
  type Command,
  type CommandHost,
  callersPath,
  counted,
  DATABASE_HELP,
  type Installation,
  parse,
  type Terminal,
  wholeNumber,
} from '@landfall/kernel/operator/command';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { bundles } from '../sync/bundle.ts';
import { createExport } from '../sync/export.ts';
import { readBundleFile, writeBundleFile } from '../sync/files.ts';
import { importBundle } from '../sync/import.ts';
import * as jobs from '../sync/jobs.store.ts';
import { readKitRequest } from '../sync/kinds.ts';
import * as sites from '../sync/sites.store.ts';
import { addSite } from '../sync/sync.ts';
import { commandNow } from '../time/command-now.ts';
import { readFileOf } from './key-files.ts';

const tenantOption = { tenant: { type: 'string' } } as const;

interface Place extends Installation {
  readonly tenant: TenantId;
}

interface SyncCommand<Arguments> {
  readonly help: string;
  /** @throws UsageError */
  read(args: readonly string[]): Arguments;
  work(place: Place, args: Arguments, terminal: Terminal): Promise<void>;
}

/** Command that works on the installation of a tenant; a refusal is the exit code 1. */
const syncCommand = <Arguments extends { readonly values: { readonly tenant?: string | undefined } }>(
  host: CommandHost,
  { help, read, work }: SyncCommand<Arguments>,
): Command => ({
  help: `${help}\n\n${DATABASE_HELP}`,
  async run(args, terminal) {
    const parsed = read(args);
    await using installation = await host.open();
    const tenant = await host.tenantOf(installation, parsed.values.tenant);
    try {
      await work({ ...installation, tenant }, parsed, terminal);
      return 0;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      terminal.warn(`${error.code}: ${error.message}`);
      return 1;
    }
  },
});

const siteFile = Compile(Type.Object({ siteId: Type.String({ format: 'uuid' }), publicKey: Type.String() }));
const isSite = (value: unknown): value is { siteId: string; publicKey: string } => siteFile.Check(value);

const callerOf = (tenant: TenantId) => systemCaller(tenant, 'command-line', randomIds.uuid());

const pemOf = (spki: string): string =>
  `-----BEGIN PUBLIC KEY-----\n${spki.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PUBLIC KEY-----\n`;

/** `landfall sync export`. */
export const syncExport = (host: CommandHost): Command =>
  syncCommand(host, {
    help: `usage: landfall sync export <directory> [--tenant <tenant>] [--sequence <n>]

Writes the queued jobs of this site as a signed bundle into <directory>. --sequence writes an earlier bundle again that was
lost on its way.`,
    read: (args) => parse(args, { options: { ...tenantOption, sequence: { type: 'string' } }, names: ['<directory>'] }),
    async work(place, { values, positionals: [named = ''] }, terminal) {
      const { database, tenant } = place;
      await using services = await host.transfers(place);
      const { signer } = services;
      const now = () => database.read(tenant, (query) => commandNow(query, tenant));
      const run = createExport({ database, ids: randomIds, signer, now });
      const sequence = values.sequence === undefined ? undefined : wholeNumber(values.sequence, '--sequence');
      const bundle = await run(callerOf(tenant), sequence);
      const directory = callersPath(named, terminal);
      const file = await writeBundleFile(directory, bundle);
      terminal.print(`Bundle ${bundle.sequence} with ${counted(bundle.entries, 'job')}: ${join(directory, file)}`);
    },
  });

/** `landfall sync import`. */
export const syncImport = (host: CommandHost): Command =>
  syncCommand(host, {
    help: `usage: landfall sync import <file> [--tenant <tenant>]

Verifies a bundle of another site and imports all of it, or nothing. Bundles of a site are imported in order, each once.

Exit code 1: the bundle is refused; nothing changed.`,
    read: (args) => parse(args, { options: tenantOption, names: ['<file>'] }),
    async work({ database, tenant }, { positionals: [file = ''] }, terminal) {
      const path = callersPath(file, terminal);
      const bundle = bundles.read(await readBundleFile(dirname(path), basename(path)));
      const imported = await database.write(tenant, async (tx) =>
        importBundle(tx, callerOf(tenant), { ids: randomIds, now: await commandNow(tx, tenant) }, bundle),
      );
      const { sequence, isNew, entries, duplicates, conflicts, refused } = imported;
      terminal.print(
        isNew
          ? `Bundle ${sequence}: ${counted(entries, 'job')}, ${duplicates} known already, ${conflicts} in conflict, ${refused} refused.`
          : `Bundle ${sequence} is imported already.`,
      );
    },
  });

/** `landfall sync site show`. */
export const syncSiteShow = (host: CommandHost): Command =>
  syncCommand(host, {
    help: `usage: landfall sync site show <file> [--tenant <tenant>]

Writes the id and the public key of this site to <file>, by which another site adds it.`,
    read: (args) => parse(args, { options: tenantOption, names: ['<file>'] }),
    async work(place, { positionals: [file = ''] }, terminal) {
      const { database, tenant } = place;
      await using services = await host.transfers(place);
      const { keyId, spki } = await services.signer();
      const { siteId } = await database.write(tenant, (tx) => sites.lockNode(tx, tenant, randomIds.uuid()));
      const site = { siteId, publicKey: pemOf(spki.toString('base64')) };
      await writeFile(callersPath(file, terminal), JSON.stringify(site, undefined, 2), { flag: 'wx' });
      terminal.print(`Site ${siteId}, key ${keyId}`);
    },
  });

/** `landfall sync site add`. */
export const syncSiteAdd = (host: CommandHost): Command =>
  syncCommand(host, {
    help: `usage: landfall sync site add <file> --name <name> [--tenant <tenant>]

Admits the bundles of a site by its file (landfall sync site show). You vouch for it: compare the key with the site's.`,
    read: (args) => parse(args, { options: { ...tenantOption, name: { type: 'string' } }, names: ['<file>'] }),
    async work({ database, tenant }, { values, positionals: [path = ''] }, terminal) {
      const site = parseJson(await readFileOf(path, terminal));
      if (!isSite(site))
        throw new CannotCheck(`${path} is no file of a site. Write one there: landfall sync site show.`);
      const named = { name: values.name ?? site.siteId, siteId: site.siteId, siteKey: site.publicKey };
      const { name, keyId } = await database.write(tenant, (tx) => addSite(tx, callerOf(tenant), named));
      terminal.print(`Site ${name}, key ${keyId}`);
    },
  });

/** `landfall sync want`. */
export const syncWant = (host: CommandHost): Command =>
  syncCommand(host, {
    help: `usage: landfall sync want <key> <file> [--tenant <tenant>]

Writes the want-list of a site's request to <file>, and the site's key to <file>.pub, for
landfall kit build --want <file> --site-key <file>.pub.`,
    read: (args) => parse(args, { options: tenantOption, names: ['<key>', '<file>'] }),
    async work({ database, tenant }, { positionals: [key = '', file = ''] }, terminal) {
      const { request, site } = await database.read(tenant, async (query) => {
        const sides = await jobs.listSides(query, tenant, [{ kind: 'kit_request', key }]);
        const inForce = sides.find(({ state }) => state === 'applied');
        if (!inForce) throw new Fault('RES_NOT_FOUND', `No site requests a kit as ${key}.`);
        const { payload, siteId } = await jobs.get(query, tenant, inForce.id);
        return { request: readKitRequest(payload), site: await sites.findSite(query, tenant, siteId) };
      });
      const path = callersPath(file, terminal);
      await writeFile(path, request.wantList, { flag: 'wx' });
      await writeFile(`${path}.pub`, pemOf(site?.publicKey ?? ''), { flag: 'wx' });
      terminal.print(`${site?.name ?? 'The site'}${request.note === undefined ? '' : `: ${request.note}`}`);
    },
  });
