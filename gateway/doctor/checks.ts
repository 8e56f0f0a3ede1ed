import type { Check } from '@landfall/kernel/operator/check';
import { type InstalledModule, MODULES } from '@landfall/rest-compat/modules';
import type { GatewaySettings } from '../settings/settings.ts';
import { databaseChecks } from './database-checks.ts';
import { machineChecks } from './machine-checks.ts';
import { networkChecks } from './network-checks.ts';
import { platformChecks } from './platform-checks.ts';

/** Lists the checks of `landfall doctor` for these modules in order. */
export const listChecks = async (installed: readonly InstalledModule[]): Promise<readonly Check<GatewaySettings>[]> => {
  const ofModules = await Promise.all(installed.map((module) => module.checks?.() ?? []));
  return [...machineChecks, ...networkChecks, ...databaseChecks, ...platformChecks, ...ofModules.flat()];
};

/** Checks of this product, which search indexes too. */
export const CHECKS = await listChecks(MODULES);
