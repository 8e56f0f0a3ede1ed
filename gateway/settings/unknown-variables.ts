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

/** Refuses unknown variables with the prefix of one module, by an Error that names each. */
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
