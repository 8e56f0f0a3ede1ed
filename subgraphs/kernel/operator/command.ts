import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { ClientConfig } from 'pg';
import type { TenantId } from '../core/ids.ts';
import type { Signer } from '../crypto/signing/signer.ts';
import type { Database } from '../db/database.ts';
import type { HttpClient } from '../http/client.ts';
import type { Platform } from '../system/platform.ts';
import type { FeedImporter, ReleaseTransfer } from './transfers.ts';

/** Exit code of a command: success, failure, or not checkable; 3 and 4 as its help says. */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/** Environment and standard streams of a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard input, to its end. */
  readInput(): Promise<string>;
  /** Standard input as bytes, to its end; a terminal without it has text only. */
  readBytes?(): Promise<Uint8Array<ArrayBuffer>>;
  /** Writes a line to standard output. */
  print(line: string): void;
  /** Writes a line to standard error. */
  warn(line: string): void;
}

export interface Command {
  /** Its help, from its own line of usage on. */
  readonly help: string;
  run(args: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

/** Database of an installation. */
export interface Installation extends AsyncDisposable {
  readonly database: Database;
  /** The login that migrates, for what is asked of the server itself. */
  readonly connection: ClientConfig;
}

/** Releases and the key of an installation, for commands of a module that carries things elsewhere. */
interface TransferServices extends AsyncDisposable {
  readonly releases: ReleaseTransfer;
  /** Current key of attestations, by which other sites know this one. */
  signer(): Promise<Signer>;
  readonly http: HttpClient;
}

/** Installation that the settings of this environment name, whether its server runs or not. */
export interface CommandHost {
  /** Settings of the process and of every module, by name. @throws CannotCheck */
  settings(): Promise<{ readonly values: Readonly<Record<string, unknown>>; readonly platform: Platform }>;
  /** @throws CannotCheck when there is no database, or none that answers */
  open(): Promise<Installation>;
  /** Importer of feeds, which counts what is in files. */
  feeds(): Promise<FeedImporter>;
  /** Reason why a text is no rule of the gate of scans; undefined for a rule. */
  problemOfRule(rule: string): Promise<string | undefined>;
  /** @throws CannotCheck when the root key that opens credentials is not there */
  transfers(installation: Installation): Promise<TransferServices>;
  /** Slugs of every tenant. */
  tenants(installation: Installation): Promise<readonly string[]>;
  /** Tenant of a slug or an id (GUID), or the only one where none is named. @throws CannotCheck when there is none */
  tenantOf(installation: Installation, named: string | undefined): Promise<TenantId>;
}

/** Command as the overview lists it. */
export interface ListedCommand {
  readonly words: readonly string[];
  readonly summary: string;
  /** Loads the command, so that no other carries its code. */
  load(host: CommandHost): Promise<Command>;
}

export const DATABASE_HELP = `Works on the database of the settings: DATABASE_URL, or the embedded one below LANDFALL_DATA_DIR, whether the server
runs or not.`;

/** Error in the command line; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Error that prevents the check itself; the message states the cause and the remedy. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck';
}

/** Parses flags and arguments. The last argument may repeat if `isOpen`. Throws UsageError if they do not fit. */
export const parse = <const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  {
    options,
    names,
    isOpen = false,
  }: { readonly options: T; readonly names: readonly string[]; readonly isOpen?: boolean },
) => {
  const parsed = (() => {
    try {
      return parseArgs({ args: [...args], options, allowPositionals: true });
    } catch (error) {
      // Node's first sentence says what is wrong; the others are about its own conventions.
      const [problem = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
      throw new UsageError(`${problem}.`);
    }
  })();
  const { length } = parsed.positionals;
  const missing = names[length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  if (length > names.length && !isOpen)
    throw new UsageError(`Unexpected argument '${parsed.positionals[names.length]}'.`);
  return parsed;
};

/** Number of an option, from 1 to `max`; any number of nine digits unless given. @throws UsageError */
export const wholeNumber = (text: string | undefined, name: string, max?: number): number => {
  const value = /^\d{1,9}$/.test(text ?? '') ? Number(text) : 0;
  if (value >= 1 && value <= (max ?? value)) return value;
  throw new UsageError(`${name} must be a whole number from 1${max === undefined ? '' : ` to ${max}`}.`);
};

/** Refusal of a file, by the system's code of its failure. */
export const cannotRead = (path: string, error: unknown): CannotCheck => {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  if (code === 'EISDIR') return new CannotCheck(`${path} is a directory; name a file.`);
  return new CannotCheck(`${path} cannot be read (${code}).`);
};

/** Far above any file that a command takes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Resolves a path against the caller's directory, since npm changes to the package's. */
export const callersPath = (path: string, { env }: Pick<Terminal, 'env'>): string =>
  resolve(env.INIT_CWD ?? process.cwd(), path);

/**
 * Reads a text file at a path relative to the caller's directory.
 * @throws CannotCheck
 */
export const readText = async (
  path: string,
  terminal: Pick<Terminal, 'env'>,
  maxBytes = MAX_FILE_BYTES,
): Promise<string> => {
  const complete = callersPath(path, terminal);
  try {
    const { size } = await stat(complete);
    if (size > maxBytes) throw new CannotCheck(`${path} is too large: ${size} bytes.`);
    return await readFile(complete, 'utf8');
  } catch (error) {
    throw error instanceof CannotCheck ? error : cannotRead(path, error);
  }
};

/** Number with its noun: `1 job`, `12 jobs`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
