import { open } from 'node:fs/promises';
import { Fault } from '../../core/fault.ts';

const maxBytes = 65_536;

/** Error for a rejected secret file; it contains neither the secret nor an error that may quote it. */
export const fileRefusal = (path: string, name: string, reason: string, cause?: unknown): Fault =>
  new Fault('SYS_VAULT_ERROR', `The ${name} ${path} ${reason}.`, undefined, [], { cause });

/** Reads a private file by one handle. Throws SYS_VAULT_ERROR if it is open to others, too large or unreadable. */
export const readPrivateFile = async (path: string, name: string): Promise<string> => {
  await using file = await open(path, 'r').catch((error: unknown) => {
    throw fileRefusal(path, name, 'cannot be opened', error);
  });
  const { mode, size } = await file.stat();
  if ((mode & 0o077) !== 0) throw fileRefusal(path, name, 'is open to others; set its mode to 0600');
  if (size > maxBytes) throw fileRefusal(path, name, 'is too large');
  return file.readFile('utf8');
};
