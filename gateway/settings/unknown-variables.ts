import type { SettingsSource, SettingsTable } from '@landfall/kernel/system/settings';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import { fileVariable } from './secret-files.ts';

const isKnown = (variable: string, table: SettingsTable): boolean =>
  Object.values(table).some(
    ({ env = '', type, secret }) =>
      variable === env ||
      (secret && variable === fileVariable(env)) ||
      (type === 'map' && variable.toLowerCase().startsWith(`${env.toLowerCase()}__`)),
  );

/**
 * Refuses unknown variables with a prefix that only one module reads; `LANDFALL_` is also the prefix of agents and
 * commands.
 * @throws Error that names each variable that is no setting, such as a misspelt one
 */
export const refuseUnknownVariables = (
  env: SettingsSource['env'],
  modules: readonly InstalledModule[] = MODULES,
): void => {
  for (const { variablePrefix: prefix, settings } of modules) {
    if (prefix === undefined) continue;
    const unknown = Object.keys(env).filter(
      (name) => env[name] && name.toUpperCase().startsWith(prefix) && !isKnown(name, settings),
    );
    if (unknown.length === 0) continue;
    const known = Object.values(settings).flatMap(({ env: name }) => (name === undefined ? [] : [name]));
    throw new Error(
      `The settings cannot be used: ${unknown.map((name) => `${name}: is no setting`).join('; ')}. There are ${known.join(', ')}.`,
    );
  }
};
