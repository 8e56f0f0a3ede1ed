import { resolve } from 'node:path';
import type { FirstAdmin } from '@landfall/authority';
import type { Demo } from './demo/demo.ts';
import { type Role, roleName } from './process/role.ts';
import { publicUrls } from './settings/process-settings.ts';
import type { GatewaySettings } from './settings/settings.ts';

interface Started {
  readonly settings: GatewaySettings;
  readonly role: Role;
  readonly startedMs: number;
  /** Path of the log file; undefined if the log is on standard output. */
  readonly logFile: string | undefined;
}

const everything = (settings: GatewaySettings): string[] => {
  const { baseUrl, authUrl, agentUrl } = publicUrls(settings);
  return [
    `Console      ${baseUrl}/`,
    `Graph        ${baseUrl}/graphql`,
    `REST         ${baseUrl}/docs`,
    `Authority    ${authUrl}/`,
    `Agents       ${agentUrl}/`,
    `Metrics      http://127.0.0.1:${settings.adminPort}/metrics`,
    `Data         ${resolve(settings.dataDir)}`,
  ];
};

/** Text with addresses and paths, printed once when the product is ready. */
export const banner = ({ settings, role, startedMs, logFile }: Started): string => {
  const head = `Landfall is ready after ${(startedMs / 1_000).toFixed(1)} s`;
  const lines =
    role.kind === 'all-in-one' ? everything(settings) : [`Role ${roleName(role)} on port ${settings.webPort}`];
  const log = logFile === undefined ? [] : [`Log          ${resolve(logFile)}`];
  return `\n  ${head}\n\n${[...lines, ...log].map((line) => `  ${line}\n`).join('')}\n`;
};

/** Line printed while the demo is being created. */
export const demoAnnouncement = '  The demo is on its way; it says when it is there.\n';

/** Text with names and passwords, printed once when the demo is complete. */
export const demoBanner = (
  { isFirst, credentialsFile }: Pick<Demo, 'isFirst' | 'credentialsFile'>,
  { baseUrl }: Pick<ReturnType<typeof publicUrls>, 'baseUrl'>,
): string => `
  ${isFirst ? 'The demo is ready' : 'The demo continues'}

  Open         ${baseUrl}/
  Sign in      as rosa, amir, vera or ana
  Passwords    ${resolve(credentialsFile)}

`;

const reasons = (error: unknown): string[] => {
  if (!(error instanceof Error)) return [String(error)];
  return [error.message, ...(error.cause === undefined ? [] : reasons(error.cause))];
};

/** Describes a failed start in one line; `isComplete` adds the stack, to find a bug of the product. */
export const refusalBanner = (error: unknown, isComplete: boolean): string => {
  const stack = isComplete && error instanceof Error ? `${error.stack}\n` : '';
  return `Landfall did not start. ${reasons(error)
    .join(': ')
    .replaceAll(/\s*\n\s*/g, ' ')}\n${stack}`;
};

/** Prints the first administrator's password once, or that the tenant already has an administrator. */
export const adminBanner = ({ tenant, username }: FirstAdmin, password: string | undefined): string =>
  password === undefined
    ? `  Tenant ${tenant} has people already; nothing was changed\n\n`
    : `  First admin of ${tenant}: ${username}, password ${password} (said once, kept nowhere)\n\n`;

/** Text for an installation that starts without the demo. */
export const emptyBanner =
  '  Nobody here yet? `landfall admin create <tenant>/<user name>`, or a start with --admin, lets the first person in\n\n';
