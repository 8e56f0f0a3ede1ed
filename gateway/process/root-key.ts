import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Root keys of 32 bytes, the current one first. */
type RootKeys = readonly [Uint8Array, ...Uint8Array[]];

const base64 = /^[A-Za-z0-9+/_-]{43}=?$/;
const hex = /^[0-9a-fA-F]{64}$/;

const decode = (text: string): Uint8Array => {
  if (hex.test(text)) return Buffer.from(text, 'hex');
  // Node's base64 decoder reads the URL alphabet too.
  if (base64.test(text)) return Buffer.from(text, 'base64');
  throw new Error(
    'LANDFALL_SECRET_KEY, or the file secret.key: a root key is 32 bytes, written as base64 or as 64 hex digits.',
  );
};

/** Parses root keys, separated by commas or white space, the current one first. */
export const parseRootKeys = (text: string): RootKeys => {
  const [first, ...others] = text.split(/[\s,]+/).filter((part) => part !== '');
  if (first === undefined) throw new Error('No root key is given.');
  return [decode(first), ...others.map(decode)];
};

const isErrno = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

const write = async (path: string, text: string): Promise<void> => {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

// The file appears whole or not at all, and when two processes start at once, both go on with the first one's key:
// link(2), unlike rename(2), refuses to replace.
const create = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  await write(draft, `${randomBytes(32).toString('base64')}\n`);
  try {
    await link(draft, path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

const read = async (path: string): Promise<RootKeys | undefined> => {
  const found = await stat(path).catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!found) return undefined;
  if ((found.mode & 0o077) !== 0) throw new Error(`${path} is readable by others; set its mode to 0600.`);
  return parseRootKeys(await readFile(path, 'utf8'));
};

// Stored in a file of mode 0600, created on first use.
const rootKeysFrom = async (path: string): Promise<RootKeys> => {
  const found = await read(path);
  if (found) return found;
  await create(path);
  const created = await read(path);
  if (!created) throw new Error(`${path} vanished while it was being made.`);
  return created;
};

/** Reads the root keys of a process: from `LANDFALL_SECRET_KEY`, else from `<data>/secret.key`. */
export const rootKeys = async (settings: { secretKey: string | undefined; dataDir: string }): Promise<RootKeys> =>
  settings.secretKey === undefined
    ? rootKeysFrom(join(settings.dataDir, 'secret.key'))
    : parseRootKeys(settings.secretKey);
