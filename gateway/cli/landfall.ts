/**
 * The command `landfall`, beside the server: what an operator, an auditor or a stranger checks by hand.
 *
 *   node gateway/cli/landfall.ts <command>      npm run landfall -- <command>
 *
 * Answers on standard output; 0 when all is well, 1 when something is wrong, 2 when it could not be checked.
 */
import { CannotCheck, type Command, type ExitCode, UsageError } from './commands/command.ts';

interface Listed {
  readonly words: readonly string[];
  readonly summary: string;
  /** Loaded when it is wanted, so that a verifier of bundles carries no database. */
  load(): Promise<Command>;
}

const COMMANDS: readonly Listed[] = [
  {
    words: ['doctor'],
    summary: 'looks at what an installation stands on, and says what to do about what is wrong',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  {
    words: ['verify'],
    summary: 'checks a bundle against a trust document; needs nothing but the two files',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  {
    words: ['audit', 'verify'],
    summary: 'checks the audit trail, its seals and the transparency log; names what was changed',
    load: async () => (await import('./commands/audit-verify.ts')).auditVerify,
  },
  {
    words: ['admin', 'create'],
    summary: 'lets the first administrator into a tenant that has nobody yet',
    load: async () => (await import('./commands/admin-create.ts')).adminCreate,
  },
  {
    words: ['keys', 'list'],
    summary: 'lists the keys that sign and signed',
    load: async () => (await import('./commands/keys.ts')).keysList,
  },
  {
    words: ['keys', 'rotate'],
    summary: 'ends a signing key and begins with a new one',
    load: async () => (await import('./commands/keys.ts')).keysRotate,
  },
  {
    words: ['tenant', 'list'],
    summary: 'lists the tenants with their plans and licences',
    load: async () => (await import('./commands/tenants.ts')).tenantList,
  },
  {
    words: ['tenant', 'set'],
    summary: 'makes a tenant, or sets its name, plans and licence',
    load: async () => (await import('./commands/tenants.ts')).tenantSet,
  },
  {
    words: ['tenant', 'stop'],
    summary: 'ends at once whatever was issued in a tenant',
    load: async () => (await import('./commands/tenants.ts')).tenantStop,
  },
  {
    words: ['tenant', 'resume'],
    summary: 'lets a stopped tenant go on',
    load: async () => (await import('./commands/tenants.ts')).tenantResume,
  },
  {
    words: ['tenant', 'domain'],
    summary: 'assigns an e-mail domain to a tenant without DNS, or takes it away',
    load: async () => (await import('./commands/tenant-domain.ts')).tenantDomain,
  },
  {
    words: ['search', 'import'],
    summary: 'reads advisories, VEX statements, bills of materials and policies, so that search finds them',
    load: async () => (await import('./commands/search.ts')).searchImport,
  },
  {
    words: ['search', 'status'],
    summary: 'says what can be found, and how the latest imports went',
    load: async () => (await import('./commands/search.ts')).searchStatus,
  },
  {
    words: ['registry', 'login'],
    summary: 'gets a token for a container registry and puts it into docker’s configuration',
    load: async () => (await import('./commands/registry.ts')).registryLogin,
  },
  {
    words: ['registry', 'token'],
    summary: 'prints a token for a container registry',
    load: async () => (await import('./commands/registry.ts')).registryToken,
  },
  {
    words: ['registry', 'ca'],
    summary: 'prints the certificates by which registries verify tokens',
    load: async () => (await import('./commands/registry.ts')).registryCa,
  },
];

const width = Math.max(...COMMANDS.map(({ words }) => words.join(' ').length));

const helpOf = (usage: string, commands: readonly Listed[]): string =>
  [
    `usage: landfall ${usage} [arguments]`,
    '',
    ...commands.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}  ${summary}`),
    '',
    '  landfall <command> --help says more. Exit code: 0 good, 1 wrong, 2 could not be checked.',
  ].join('\n');

const HELP = helpOf('<command>', COMMANDS);

const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const complain = (line: string): void => void process.stderr.write(`${line}\n`);

/** Describes an error with its causes in one line. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return [error.message, ...inner.map(reasonOf)].filter((text) => text !== '').join(': ');
};

/** Overview of all commands, or of a group of them, when no command is given. */
const overviewOf = ([first, second]: readonly string[]): string | undefined => {
  if (first === undefined || isHelp(first)) return HELP;
  const group = COMMANDS.filter(({ words }) => words.length > 1 && words[0] === first);
  return group.length > 0 && (second === undefined || isHelp(second)) ? helpOf(`${first} <command>`, group) : undefined;
};

const run = async (args: readonly string[]): Promise<ExitCode> => {
  const overview = overviewOf(args);
  if (overview !== undefined) {
    say(overview);
    return args.some(isHelp) ? 0 : 2;
  }
  const listed = COMMANDS.find(({ words }) => words.every((word, i) => args[i] === word));
  if (!listed) {
    complain(`There is no command '${args.slice(0, 2).join(' ')}'.\n\n${HELP}`);
    return 2;
  }
  const command = await listed.load();
  const rest = args.slice(listed.words.length);
  if (rest.some(isHelp)) {
    say(command.help);
    return 0;
  }
  try {
    return await command.run(rest, say);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    complain(isUsage ? `${error.message}\n\n${command.help}` : `landfall: ${reasonOf(error)}`);
    if (!isUsage && !(error instanceof CannotCheck) && process.env.LANDFALL_LOG_LEVEL === 'debug')
      complain(String(error instanceof Error ? error.stack : error));
    return 2;
  }
};

/** Ends when the reader has closed the pipe: `landfall search status | head`. */
process.stdout.on('error', (error) => {
  if (!('code' in error) || error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await run(process.argv.slice(2));
