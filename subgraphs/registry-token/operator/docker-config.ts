import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CannotCheck } from '@landfall/kernel/operator/command';

type Section = Readonly<Record<string, unknown>>;

const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const read = async (path: string): Promise<Section> => {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isSection(value)) return value;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    if (codeOf(error) !== undefined) throw new CannotCheck(`${path} cannot be read (${codeOf(error)}).`);
  }
  throw new CannotCheck(`${path} is no JSON object; repair it, or name another directory with --docker-config.`);
};

/** Replaces the file atomically, readable by its owner only. */
const replace = async (path: string, text: string): Promise<void> => {
  const configPath = await realpath(path).catch(() => path);
  const neighbour = `${configPath}.${randomUUID()}`;
  await mkdir(dirname(configPath), { recursive: true, mode: 0o700 });
  try {
    {
      await using file = await open(neighbour, 'wx', 0o600);
      await file.writeFile(text);
      await file.sync();
    }
    await rename(neighbour, configPath);
  } catch (error) {
    await rm(neighbour, { force: true });
    throw new CannotCheck(`${path} cannot be written (${codeOf(error)}).`);
  }
};

/** Writes a registry's token into docker's configuration and leaves everything else in it unchanged. */
export const writeRegistryToken = async (path: string, registry: string, token: string): Promise<void> => {
  const config = await read(path);
  const auths = isSection(config.auths) ? config.auths : {};
  const known = isSection(auths[registry]) ? auths[registry] : {};
  const stored = { ...config, auths: { ...auths, [registry]: { ...known, registrytoken: token } } };
  await replace(path, `${JSON.stringify(stored, undefined, '\t')}\n`);
};
