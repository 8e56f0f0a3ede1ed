import { authorityDestinations } from '@landfall/authority';
import {
  type ConfiguredDestination,
  type DestinationDirectory,
  destinationOf,
} from '@landfall/kernel/egress/configured';
import type { SettingsTable } from '@landfall/kernel/system/settings';
import { notifierDestinations } from '@landfall/notifier';
import { integrationDestinations, secretProviderDestinations } from '@landfall/orchestrator';
import { type GatewaySettings, gatewaySettings } from '../settings/settings.ts';

/** Settings of the installation's own addresses, which a seal always allows (ruling 44). */
const OWN = new Set(['baseUrl', 'authUrl', 'agentUrl', 'moduleUrls', 'databaseUrl', 'databaseDirectUrl', 's3Endpoint']);

const textsOf = (value: unknown): readonly string[] =>
  [value].flat().filter((each): each is string => typeof each === 'string');

/** Destinations that the settings name: every value that is an address, but the installation's own. */
export const settingsDestinations = (settings: GatewaySettings): readonly ConfiguredDestination[] => {
  const values = new Map<string, unknown>(Object.entries(settings));
  const table: SettingsTable = gatewaySettings;
  return Object.entries(table).flatMap(([key, { name = key }]) =>
    OWN.has(key)
      ? []
      : textsOf(values.get(key)).flatMap((text) =>
          destinationOf('platform', `setting ${name}`, text).map((each) => ({ ...each, isPlatform: true })),
        ),
  );
};

/** Creates the directory of every destination that is configured (proofs 8.1, seal preflight). */
export const createDestinations = (settings: GatewaySettings): DestinationDirectory => {
  const configured = settingsDestinations(settings);
  return async (query, tenant) => [
    ...configured,
    ...(await authorityDestinations(query, tenant)),
    ...(await notifierDestinations(query, tenant)),
    ...(await integrationDestinations(query, tenant)),
    ...(await secretProviderDestinations(query, tenant)),
  ];
};
