/**
 * Starts Landfall: everything in one process, or one role of it.
 *
 *   node gateway/main.ts                                     all in one
 *   node gateway/main.ts --role edge                         console, graph, and the REST paths of the modules behind
 *   node gateway/main.ts --role module:<name> [--worker]     one module; its background work only with --worker
 *
 * --no-demo starts empty; --admin <tenant>/<user name> lets the first person into a tenant and says the password once;
 * --insecure accepts what start-up would refuse as unsafe.
 */
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { authorityModule, createFirstAdmin, parseAdmin } from '@landfall/authority';
import { armFromEnvironment } from '@landfall/kernel/system/failpoint';
import { createLog } from '@landfall/kernel/system/log';
import { MODULES } from '@landfall/rest-compat/modules';
import type { App } from './app.ts';
import { adminBanner, banner, demoAnnouncement, demoBanner, emptyBanner, refusalBanner } from './banner.ts';
import { commandHost } from './cli/commands/installation.ts';
import { parseFlags } from './cli/flags.ts';
import { startDemo, withDemoSettings } from './demo/demo.ts';
import { preflight } from './preflight.ts';
import { drainOnSignal } from './process/drain.ts';
import { parseRole, roleName } from './process/role.ts';
import { publicUrls, refuseExposure } from './settings/process-settings.ts';
import { readGatewaySettings } from './settings/settings.ts';
import { refuseUnknownVariables } from './settings/unknown-variables.ts';

const start = async (): Promise<void> => {
  const startedAt = performance.now();
  const flags = parseFlags(process.argv.slice(2));
  armFromEnvironment(process.env);
  const role = parseRole(
    flags.role,
    MODULES.map(({ name }) => name),
  );
  const requested = flags.admin === undefined ? undefined : parseAdmin(flags.admin);
  refuseUnknownVariables(process.env);
  const config = await readGatewaySettings({
    ...process.env,
    ...(flags.insecure && { LANDFALL_INSECURE: 'true' }),
  });
  const hasDemo = role.kind === 'all-in-one' && !flags['no-demo'];
  const settings = hasDemo ? await withDemoSettings(config) : config;
  refuseExposure(settings);
  await preflight(role, settings);

  const logFile = join(settings.dataDir, 'landfall.log');
  const isInteractive = process.stdout.isTTY && role.kind === 'all-in-one';
  // When a terminal is attached, the log goes to a file and the terminal shows the banner.
  const log = createLog(
    { level: settings.logLevel, role: roleName(role) },
    isInteractive ? createWriteStream(logFile, { flags: 'a' }) : undefined,
  );

  // Loaded after all checks that may refuse the start.
  const { startApp } = await import('./app.ts');
  const app: App = await startApp({ settings, role, worker: flags.worker || role.kind === 'all-in-one', log });
  const running: { demo?: AsyncDisposable } = {};
  drainOnSignal(async () => {
    await running.demo?.[Symbol.asyncDispose]();
    return app.stop();
  });
  const startedMs = performance.now() - startedAt;
  process.stderr.write(banner({ settings, role, startedMs, logFile: isInteractive ? logFile : undefined }));

  const authority = authorityModule.find(app.modules);
  if (authority && requested)
    process.stderr.write(adminBanner(requested, await createFirstAdmin(authority.bootstrap, requested)));
  else if (authority && flags['no-demo']) process.stderr.write(emptyBanner);

  if (authority && hasDemo) {
    const { bootstrap } = authority;
    process.stderr.write(demoAnnouncement);
    try {
      const { dataDir } = settings;
      const host = commandHost({ env: process.env });
      const demo = await startDemo({ ...publicUrls(settings), dataDir, bootstrap, log, host });
      running.demo = demo;
      process.stderr.write(demoBanner(demo, publicUrls(settings)));
    } catch (error) {
      log.error({ err: error }, 'demo');
      process.stderr.write('  The demo stopped; the log says where. The next start continues it.\n');
    }
  }
};

try {
  await start();
} catch (error) {
  process.stderr.write(refusalBanner(error, process.env.LANDFALL_LOG_LEVEL === 'debug'));
  // Exits explicitly: parts that started already, such as an embedded database, would keep the process alive.
  process.exit(1);
}
