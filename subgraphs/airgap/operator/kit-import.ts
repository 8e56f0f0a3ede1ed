import { setTimeout as pause } from 'node:timers/promises';
import { systemCaller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { randomIds } from '@landfall/kernel/core/ids';
import {
  type Command,
  type CommandHost,
  callersPath,
  DATABASE_HELP,
  type ExitCode,
  parse,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';
import { Compile } from 'typebox/compile';
import { DEFAULT_RULE } from '../kits/gate-preview.ts';
import { outcomeLines } from '../kits/import-outcome.ts';
import { queueImport, registry } from '../kits/import-requests.ts';
import * as store from '../kits/imports.store.ts';
import { createKitDirectories } from '../kits/inbox.ts';
import { findActive } from '../kits/kits.store.ts';
import { isNewer, readManifest, verifyKit } from '../kits/manifest.ts';
import { readManifestFile } from '../kits/quarantine.ts';
import { getRoot } from '../roots/installed-root.ts';
import { commandNow } from '../time/command-now.ts';

const registryCheck = Compile(registry);

const registryOf = (text: string | undefined): string | null => {
  if (text === undefined) return null;
  if (registryCheck.Check(text)) return text;
  throw new UsageError('--registry must be the host of a registry, with a path where there is one.');
};

const options = {
  tenant: { type: 'string' },
  registry: { type: 'string' },
  'dry-run': { type: 'boolean' },
  'fail-on': { type: 'string' },
  wait: { type: 'boolean' },
} as const;

const POLL_MS = 500;

/** Reads an import until it has ended or lacks parts, and prints how. */
const printOutcome = async (read: () => Promise<store.KitImport>, terminal: Terminal): Promise<ExitCode> => {
  let row = await read();
  for (; row.state === 'queued' || row.state === 'switched'; row = await read()) await pause(POLL_MS);
  for (const line of outcomeLines(row)) terminal.print(line);
  return row.state === 'failed' ? 1 : 0;
};

/** Rule that a dry run evaluates. @throws UsageError for one of an import, and for a text that is none */
const ruleOf = async (host: CommandHost, rule: string | undefined, isDryRun: boolean): Promise<string | null> => {
  if (rule === undefined) return null;
  if (!isDryRun) throw new UsageError('--fail-on needs --dry-run: an import evaluates no gate.');
  const problem = await host.problemOfRule(rule);
  if (problem !== undefined) throw new UsageError(problem);
  return rule;
};

/** `landfall kit import`. */
export const kitImport = (host: CommandHost): Command => ({
  help: `usage: landfall kit import <directory> [--tenant <tenant>] [--registry <host>[/<path>]]
                           [--dry-run [--fail-on <rule>]] [--wait]

Verifies the manifest of a kit and the parts of it that are in <directory>, keeps them, and hands the kit to the server, which
imports it once no part is missing. Parts may come on several media in any order: give the command the directory of each, with
the manifest beside the parts. --registry names the registry of this site for the images of a release; it needs an
integration of the tenant. --dry-run reports what the kit would change and writes nothing: advisories, and the releases
whose result would change by the rule of a gate, that of \`landfall scan --fail-on\` (${DEFAULT_RULE} unless given). --wait
waits for the server and prints how the import ended.

Exit code 1: the kit is refused; nothing changed.

${DATABASE_HELP}`,
  async run(args, terminal): Promise<ExitCode> {
    const { values, positionals } = parse(args, { options, names: ['<directory>'] });
    const registryHost = registryOf(values.registry);
    const { 'dry-run': isDryRun = false } = values;
    const failOn = await ruleOf(host, values['fail-on'], isDryRun);
    const directory = callersPath(positionals[0] ?? '', terminal);
    await using installation = await host.open();
    const tenant = await host.tenantOf(installation, values.tenant);
    const { database } = installation;
    try {
      const kit = readManifest(await readManifestFile(directory));
      const isNew = await database.read(tenant, async (query) => {
        verifyKit(kit, await getRoot(query), { now: await commandNow(query, tenant), accuracySeconds: 0 });
        return isNewer(kit, await findActive(query, tenant, kit.value.channel));
      });
      if (!isNew) {
        terminal.print(`Kit ${kit.value.kitId} is installed already.`);
        return 0;
      }
      const { platform } = await host.settings();
      const quarantine = createKitDirectories(platform.dataDir).quarantine(tenant, kit.digest);
      const missing = await quarantine.collectParts(directory, kit.value);
      const request = { kit, source: null, registry: registryHost, isDryRun, failOn };
      const caller = systemCaller(tenant, 'command-line', randomIds.uuid());
      const { id } = await database.write(tenant, (tx) => queueImport(tx, caller, randomIds, request));
      terminal.print(`Import ${id} of kit ${kit.value.kitId} is handed to the server.`);
      if (missing.length > 0) terminal.print(`Parts are missing: ${missing.join(', ')}. Import their medium next.`);
      if (!values.wait || missing.length > 0) return 0;
      return await printOutcome(() => database.read(tenant, (query) => store.get(query, tenant, id)), terminal);
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      terminal.warn(`${error.code}: ${error.message}`);
      return 1;
    }
  },
});
