import { resolve } from 'node:path';
import { holderOf } from '@landfall/kernel/db/embedded-postgres';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import { DATA_SETTING, embeddedDirectory, makeDataDirectory } from './process/data-directory.ts';
import { checkDatabase, servingLogin } from './process/database-check.ts';
import { checkPorts, portsOf } from './process/ports.ts';
import { modulesOf, type Role } from './process/role.ts';
import { type GatewaySettings, platformOf } from './settings/settings.ts';

/** Checks for problems that prevent a start. Throws an Error of one line: the setting, its value, and the remedy. */
export const preflight = async (
  role: Role,
  settings: GatewaySettings,
  installed: readonly InstalledModule[] = MODULES,
): Promise<void> => {
  const { dataDir, databaseUrl, databaseDirectUrl } = settings;
  await makeDataDirectory(dataDir);
  // Checked before the ports: a second start finds both in use, and the data directory is the reason to report.
  const holder = databaseUrl === undefined ? await holderOf(embeddedDirectory(dataDir)) : undefined;
  if (holder !== undefined)
    throw new Error(
      `${DATA_SETTING}: ${resolve(dataDir)} is in use by process ${holder}; stop that one, or name another directory.`,
    );
  for (const module of modulesOf(role, installed)) module.configure(settings, platformOf(settings));
  await checkPorts(portsOf(role, settings, installed));
  // The first start creates a separate serving login.
  if (databaseUrl !== undefined && !servingLogin(settings)) await checkDatabase('DATABASE_URL', databaseUrl);
  if (databaseDirectUrl !== undefined) await checkDatabase('DATABASE_DIRECT_URL', databaseDirectUrl);
};
