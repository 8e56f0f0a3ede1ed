// Finds a Chromium on any machine, so that the browser tests run wherever the others do.
import { execFile } from 'node:child_process';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { timed } from '@landfall/kernel/testing/timed';
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright';

const run = promisify(execFile);

/** Chromium without its window, by itself a sixth cheaper, comes first. */
const SYSTEM_PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Directory of the unpacked browser of `@sparticuz/chromium`: 180 MB, once for each checkout. */
const UNPACKED = join(import.meta.dirname, '../.boot/chromium');

/** A container's /dev/shm is 64 MB, and it has no GPU. */
const ARGS = ['--disable-dev-shm-usage', '--disable-gpu'];

const optionsOf = (executablePath?: string, env: Readonly<Record<string, string>> = {}): LaunchOptions => ({
  ...(executablePath ? { executablePath } : {}),
  // Chromium refuses its sandbox to root, and most containers have no user namespaces for it; the tests only visit
  // pages of ours.
  chromiumSandbox: false,
  args: ARGS,
  env: { ...definedEnv(), ...env },
});

/** Start of a browser: as a child of this process, or as a server for several. */
type Start<T> = (options: LaunchOptions) => Promise<T>;

const definedEnv = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

const requireFile = async (path: string): Promise<string> => {
  await access(path);
  return path;
};

/** `LD_LIBRARY_PATH` of a browser would reach every child of this process, so the environment is put back. */
const withEnv = async <T>(changes: Readonly<Record<string, string>>, work: () => Promise<T>): Promise<T> => {
  const before = { ...process.env };
  Object.assign(process.env, changes);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
  }
};

/**
 * The npm package carries the browser and, for the platform it names in `AWS_EXECUTION_ENV`, the NSS libraries that a
 * bare machine lacks.
 */
const unpackNpm = async <T>(start: Start<T>): Promise<T> => {
  if (process.platform !== 'linux') throw new Error('the npm package has a browser for Linux only');
  await mkdir(UNPACKED, { recursive: true, mode: 0o755 });
  const path = await withEnv({ AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x', TMPDIR: UNPACKED }, async () => {
    const { default: packed } = await import('@sparticuz/chromium');
    return packed.executablePath();
  });
  try {
    const libraries = { LD_LIBRARY_PATH: join(UNPACKED, 'al2023/lib'), FONTCONFIG_PATH: join(UNPACKED, 'fonts') };
    return await start(optionsOf(path, libraries));
  } catch (error) {
    await rm(UNPACKED, { recursive: true, force: true }); // A run that was killed may have left it half unpacked.
    throw error;
  }
};

const installDebian = async <T>(start: Start<T>): Promise<T> => {
  if (process.getuid?.() !== 0) throw new Error('apt needs root');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], { env });
  await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { env });
  return start(optionsOf('/usr/bin/chromium'));
};

interface Source {
  readonly name: string;
  launch<T>(start: Start<T>): Promise<T>;
}

const sourceAt = (name: string, path: string): Source => ({
  name,
  launch: async (start) => start(optionsOf(await requireFile(path))),
});

const sources = (): Source[] => [
  sourceAt('Playwright', chromium.executablePath()),
  ...SYSTEM_PATHS.map((path) => sourceAt(path, path)),
  { name: '@sparticuz/chromium', launch: unpackNpm },
  { name: 'apt', launch: installDebian },
];

/**
 * Starts the browser that `E2E_CHROMIUM` names, else the first that starts: Playwright's own, the system's, the npm
 * package's, apt's as root.
 * @throws with each source's reason when none starts.
 */
const startBrowser = async <T>(start: Start<T>): Promise<T> => {
  const selected = process.env.E2E_CHROMIUM;
  if (selected) return start(optionsOf(selected));
  const reasons: string[] = [];
  for (const { name, launch } of sources()) {
    try {
      return await launch(start);
    } catch (error) {
      reasons.push(`${name}: ${String(error).split('\n')[0]}`);
    }
  }
  throw new Error(`no Chromium starts here\n${reasons.join('\n')}`);
};

export const launchBrowser = (): Promise<Browser> => startBrowser((options) => chromium.launch(options));

/** Starts a browser that other processes connect to, each with contexts of its own. */
export const serveBrowser = (): Promise<BrowserServer> => startBrowser((options) => chromium.launchServer(options));

/** The test runner's browser, or one of this test's own where it runs alone. */
const openBrowser = (): Promise<Browser> => {
  const shared = process.env.E2E_BROWSER;
  return shared ? chromium.connect(shared) : launchBrowser();
};

/**
 * Browser whose contexts close with the test; undefined, and the test skipped with the reason, where no browser is
 * available.
 */
export const browserFor = async (t: TestContext): Promise<Browser | undefined> => {
  try {
    const browser = await timed('browser', openBrowser);
    t.after(() => browser.close());
    return browser;
  } catch (error) {
    t.skip(error instanceof Error ? error.message.replaceAll('\n', '; ') : String(error));
    return undefined;
  }
};
