import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { failure } from '../protocol/failure.ts';
import { MAX_SECRET } from '../protocol/limits.ts';

/** Default prefix of variables that releases may use; no setting of the platform begins with it. */
export const defaultEnvPrefix = 'RELEASE_SECRET_';

/** Beginnings of the platform’s own settings, in capitals: the server’s in both spellings, and the agent’s. */
const platformPrefixes = [
  'LANDFALL_',
  'DATABASE_',
  'REGISTRY_TOKEN_',
  'REGISTRYTOKEN__',
  'ATTESTATION__',
  'SYNTHESIS__',
  'SEARCH__',
  'CALLGRAPHCACHE__',
  'NOTIFIER__',
  'ARTIFACTS__',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'TELEMETRY__',
] as const;

/** Checks that a variable belongs to the platform, whose root key must not reach a release, whatever the prefix. */
export const isPlatformVariable = (name: string): boolean =>
  platformPrefixes.some((prefix) => name.toUpperCase().startsWith(prefix));

/** Location of secrets on this host, which the server never sees. */
export type HostSecrets = Readonly<{
  /** Directory of `file:` secrets; undefined if there are none. */
  directory: string | undefined;
  /** Prefix of the agent's variables that tasks may refer to as `env:`. */
  prefix: string;
  env: Readonly<Record<string, string | undefined>>;
}>;

/** Size limit of a secret in bytes: UTF-8 needs at most four for a character. */
const maxBytes = 4 * MAX_SECRET;

const missing = (variable: string, reference: string, reason: string, cause?: unknown) =>
  failure('AGT_TASK_FAILED', 'secret-not-found', `${variable}: ${reference} ${reason}`, cause);

/** Resolves a file strictly below the directory, following links; undefined if there is none. */
const fileBelow = async (directory: string, path: string): Promise<string | undefined> => {
  const root = await realpath(directory).catch(() => undefined);
  const file = root && (await realpath(join(root, path)).catch(() => undefined));
  if (root === undefined || file === undefined || !file.startsWith(root + sep)) return undefined;
  const about = await stat(file);
  return about.isFile() && about.size <= maxBytes ? file : undefined;
};

/** Creates the reader of secrets on this host that a task names. Raises AGT_TASK_FAILED (`secret-not-found`). */
export const createHostSecrets = ({ directory, prefix, env }: HostSecrets) => {
  const fromEnv = (variable: string, reference: string, name: string): string => {
    if (isPlatformVariable(name))
      throw missing(variable, reference, 'is a setting of the platform, which no release is given');
    if (!name.startsWith(prefix)) throw missing(variable, reference, `does not begin with ${prefix}`);
    const value = env[name];
    if (value === undefined) throw missing(variable, reference, 'is not set for this agent');
    return value;
  };

  const fromFile = async (variable: string, reference: string, path: string): Promise<string> => {
    if (directory === undefined)
      throw missing(variable, reference, 'is asked for, and this agent has no secrets directory');
    const file = await fileBelow(directory, path);
    if (file === undefined)
      throw missing(variable, reference, 'is no file of a secret’s size below the secrets directory');
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw missing(variable, reference, 'cannot be read', error);
    });
    if (text.length > MAX_SECRET) throw missing(variable, reference, `is longer than ${MAX_SECRET} characters`);
    // An editor's last newline is not part of a secret, as in `$(cat file)`.
    return text.replace(/\r?\n$/, '');
  };

  return async (references: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> => {
    const found: Record<string, string> = {};
    for (const [variable, reference] of Object.entries(references)) {
      const rest = reference.slice(reference.indexOf(':') + 1);
      found[variable] = reference.startsWith('env:')
        ? fromEnv(variable, reference, rest)
        : await fromFile(variable, reference, rest);
    }
    return found;
  };
};
