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
  /** Path of the log, when it is not on standard output. */
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

/** Addresses and paths, printed once when the product is ready. */
export const banner = ({ settings, role, startedMs, logFile }: Started): string => {
  const head = `Landfall is ready after ${(startedMs / 1_000).toFixed(1)} s`;
  const lines =
    role.kind === 'all-in-one' ? everything(settings) : [`Role ${roleName(role)} on port ${settings.webPort}`];
  const log = logFile === undefined ? [] : [`Log          ${resolve(logFile)}`];
  return `\n  ${head}\n\n${[...lines, ...log].map((line) => `  ${line}\n`).join('')}\n`;
};

/** Line that announces the demo before it is complete. */
export const demoAnnouncement = '  The demo is on its way; it says when it is there.\n';

/** Names and passwords, printed once the demo is complete. */
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

/** Why there was no start, in a line. @param isWhole adds the stack, for whoever looks for a failure of ours */
export const refusalBanner = (error: unknown, isWhole: boolean): string => {
  const stack = isWhole && error instanceof Error ? `${error.stack}\n` : '';
  return `Landfall did not start. ${reasons(error)
    .join(': ')
    .replaceAll(/\s*\n\s*/g, ' ')}\n${stack}`;
};

/** The first admin's password, once; or that the tenant needs none any more. */
export const adminBanner = ({ tenant, username }: FirstAdmin, password: string | undefined): string =>
  password === undefined
    ? `  Tenant ${tenant} has people already; nothing was changed\n\n`
    : `  First admin of ${tenant}: ${username}, password ${password} (said once, kept nowhere)\n\n`;

/** For an installation that starts without the demo. */
export const emptyBanner =
  '  Nobody here yet? `landfall admin create <tenant>/<user name>`, or a start with --admin, lets the first person in\n\n';
