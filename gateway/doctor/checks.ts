import type { Check } from './check.ts';
import { databaseChecks } from './database-checks.ts';
import { machineChecks } from './machine-checks.ts';
import { networkChecks } from './network-checks.ts';
import { platformChecks } from './platform-checks.ts';

/** Checks of `landfall doctor`, in their order; search indexes them too. */
export const CHECKS: readonly Check[] = [...machineChecks, ...networkChecks, ...databaseChecks, ...platformChecks];
