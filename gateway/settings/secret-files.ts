import { readFile } from 'node:fs/promises';
import type { SettingsSource, SettingsTable } from '@landfall/kernel/system/settings';

/** Variable that names a file with the value of a secret setting, as container platforms mount secrets. */
export const fileVariable = (variable: string): string => `${variable}_FILE`;

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

const readSecret = async (variable: string, path: string): Promise<string> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new Error(`${variable}: ${path} cannot be read (${reasonOf(error)}); name a file that this user may read.`);
  });
  // The last newline is the editor's, as in `$(cat file)`.
  const value = text.replace(/\r?\n$/, '');
  if (value === '') throw new Error(`${variable}: ${path} is empty; write the secret into it.`);
  return value;
};

/** Reads secret settings from files named by `<VARIABLE>_FILE`. Throws if one is unreadable or given twice. */
export const withSecretFiles = async (
  table: SettingsTable,
  env: SettingsSource['env'],
): Promise<SettingsSource['env']> => {
  const read: Record<string, string> = {};
  for (const { env: variable, secret } of Object.values(table)) {
    if (!secret || variable === undefined) continue;
    const path = env[fileVariable(variable)];
    if (!path) continue;
    if (env[variable]) throw new Error(`${variable} and ${fileVariable(variable)} are both set; keep one of them.`);
    read[variable] = await readSecret(fileVariable(variable), path);
  }
  return { ...env, ...read };
};
