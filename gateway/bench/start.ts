// Time until the product is ready, and its use of processor and memory then.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { benchDirectory } from './bench-host.ts';
import { createReport } from './figure.ts';
import { type Process, residentOf, treeOf } from './processes.ts';
import { createHome, startProduct } from './product-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const MB = 1_000_000;
/** Pause after the demo in milliseconds, until its background work is idle. */
const SETTLE_MS = 5_000;

const { tell } = createReport('start');

const seconds = (metric: string, ms: number, atMost: number): void => tell(metric, ms / 1_000, 's', { atMost });

/** Separates the product's processes from their launcher and from what its agents deployed. */
const reportShares = (tree: readonly Process[]) => {
  const agents = tree.filter(({ command }) => command.includes('agent/main.ts')).map(({ pid }) => pid);
  const isLauncher = ({ command }: Process): boolean => command.includes('boot.mjs');
  const isDeployed = ({ parent }: Process): boolean => agents.includes(parent);
  return {
    product: tree.filter((one) => !isLauncher(one) && !isDeployed(one)),
    launcher: tree.filter(isLauncher),
    server: tree.filter(({ command }) => command.includes('gateway/main.ts')),
    deployed: tree.filter(isDeployed),
  };
};

const resident = async (processes: readonly Process[]) => {
  const sizes = await Promise.all(processes.map(({ pid }) => residentOf(pid)));
  return {
    rss: sizes.reduce((sum, { rss }) => sum + rss, 0) / MB,
    pss: sizes.reduce((sum, { pss }) => sum + pss, 0) / MB,
  };
};

const reportMemory = async (pid: number): Promise<void> => {
  const { product, launcher, server, deployed } = reportShares(await treeOf(pid));
  const [complete, before, alone, other] = await Promise.all([product, launcher, server, deployed].map(resident));
  if (!complete || !before || !alone || !other) throw new TypeError('four sums were asked for');
  tell('memory after the demo, RSS of server, PostgreSQL and agents', complete.rss, 'MB', { atMost: 900 });
  tell('the same with shared pages counted once', complete.pss, 'MB');
  tell('the launcher, RSS', before.rss, 'MB');
  tell('the server alone, RSS', alone.rss, 'MB');
  tell(`what the agents run for the demo, ${deployed.length} processes, RSS`, other.rss, 'MB');
};

const lock = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({
      dev: Type.Optional(Type.Boolean()),
      devOptional: Type.Optional(Type.Boolean()),
      link: Type.Optional(Type.Boolean()),
    }),
  ),
});

/** Bytes on disk below a directory, without its installed packages. */
const sizeOf = async (directory: string): Promise<number> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : sizeOf(path);
      return (await lstat(path)).blocks * 512;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** Size of what `npm ci --omit=dev` would install, by the lockfile and the packages on disk. */
const productionSize = async (): Promise<number> => {
  const { packages } = Parse(lock, JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')));
  const startupPackages = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) => path.includes('node_modules/') && !dev && !devOptional && !link,
  );
  const sizes: number[] = [];
  for (const [path] of startupPackages) sizes.push(await sizeOf(join(ROOT, path)));
  return sizes.reduce((sum, size) => sum + size, 0);
};

await using directory = await benchDirectory();
const home = await createHome(directory.path);

const first = await startProduct(home);
seconds('installed to ready', first.readyMs, 8);
const ready = performance.now();
await first.waitForCredentials();
seconds('ready to the end of the demo', performance.now() - ready, 45);
await pause(SETTLE_MS);
await reportMemory(first.pid);
const stopping = performance.now();
await first.stop();
tell('stop', (performance.now() - stopping) / 1_000, 's');

const second = await startProduct(home);
seconds('restart to ready', second.readyMs, 5);
await second.stop();

tell('production node_modules', (await productionSize()) / MB, 'MB', { atMost: 500 });
