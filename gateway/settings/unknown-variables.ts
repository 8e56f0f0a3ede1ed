import type { SettingsSource, SettingsTable } from '@landfall/kernel/system/settings';
import { registryTokenSettings } from '@landfall/registry-token';
import { fileVariable } from './secret-files.ts';

/** What only settings of ours begin with; `LANDFALL_` begins what agents, commands and secrets are told too. */
const PREFIX = 'REGISTRY_TOKEN_';

const isKnown = (variable: string, table: SettingsTable): boolean =>
  Object.values(table).some(
    ({ env = '', type, secret }) =>
      variable === env ||
      (secret && variable === fileVariable(env)) ||
      (type === 'map' && variable.toLowerCase().startsWith(`${env.toLowerCase()}__`)),
  );

/** @throws Error that names each variable of the registry token service that is none, such as a misspelt one */
export const refuseUnknownVariables = (env: SettingsSource['env']): void => {
  const unknown = Object.keys(env).filter(
    (name) => env[name] && name.toUpperCase().startsWith(PREFIX) && !isKnown(name, registryTokenSettings),
  );
  if (unknown.length === 0) return;
  const known = Object.values(registryTokenSettings).flatMap(({ env: name }) => (name === undefined ? [] : [name]));
  throw new Error(
    `The settings cannot be used: ${unknown.map((name) => `${name}: is no setting`).join('; ')}. There are ${known.join(', ')}.`,
  );
};
