/** Command `landfall`: checks and maintenance beside the server; exits 0 if well, 1 if wrong, 2 if it cannot check. */
import { arrayBuffer, text } from 'node:stream/consumers';
import { CannotCheck, type ExitCode, type Terminal, UsageError } from '@landfall/kernel/operator/command';
import type { ReadyCommand } from './module-commands.ts';

/** Commands of the gateway itself. */
const OWN: readonly ReadyCommand[] = [
  {
    words: ['doctor'],
    summary: 'checks an installation, and says what to do about each problem',
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
    words: ['keys', 'list'],
    summary: 'lists the keys that sign and signed',
    load: async () => (await import('./commands/keys.ts')).keysList,
  },
  {
    words: ['keys', 'rotate'],
    summary: 'ends a signing key and begins with a new one',
    load: async () => (await import('./commands/keys.ts')).keysRotate,
  },
];

/** Lists the commands of the gateway and of every module. */
const listCommands = async (terminal: Terminal): Promise<readonly ReadyCommand[]> => {
  const [{ moduleCommands }, { commandHost }] = await Promise.all([
    import('./module-commands.ts'),
    import('./commands/installation.ts'),
  ]);
  return [...OWN, ...moduleCommands(commandHost(terminal))];
};

/** Finds the command of the arguments; loads the modules only if needed, so that a verifier needs no database. */
const matching = async (args: readonly string[], terminal: Terminal): Promise<ReadyCommand | undefined> => {
  const matchesArguments = ({ words }: ReadyCommand): boolean => words.every((word, i) => args[i] === word);
  return OWN.find(matchesArguments) ?? (await listCommands(terminal)).find(matchesArguments);
};

const helpOf = (usage: string, commands: readonly ReadyCommand[]): string => {
  const width = Math.max(...commands.map(({ words }) => words.join(' ').length));
  return [
    `usage: landfall ${usage} [arguments]`,
    '',
    ...commands.map(({ words, summary }) => `  ${words.join(' ').padEnd(width)}  ${summary}`),
    '',
    '  landfall <command> --help says more. Exit code: 0 good, 1 wrong, 2 could not be checked.',
  ].join('\n');
};

const programHelp = async (terminal: Terminal): Promise<string> => helpOf('<command>', await listCommands(terminal));

const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h';

/** Describes an error with its causes in one line. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? error.errors : error.cause === undefined ? [] : [error.cause];
  return [error.message, ...inner.map(reasonOf)].filter((text) => text !== '').join(': ');
};

/** Prints an overview of all commands, or of a group, if no command is given. */
const overviewOf = async ([first, second]: readonly string[], terminal: Terminal): Promise<string | undefined> => {
  if (first === undefined || isHelp(first)) return programHelp(terminal);
  const isComplete = OWN.some(({ words }) => words.length === 1 && words[0] === first);
  if (isComplete || (second !== undefined && !isHelp(second))) return undefined;
  const group = (await listCommands(terminal)).filter(({ words }) => words.length > 1 && words[0] === first);
  return group.length > 0 ? helpOf(`${first} <command>`, group) : undefined;
};

/** Runs the command named by the first arguments. */
export const run = async (args: readonly string[], terminal: Terminal): Promise<ExitCode> => {
  const overview = await overviewOf(args, terminal);
  if (overview !== undefined) {
    terminal.print(overview);
    return args.some(isHelp) ? 0 : 2;
  }
  const listed = await matching(args, terminal);
  if (!listed) {
    terminal.warn(`There is no command '${args.slice(0, 2).join(' ')}'.\n\n${await programHelp(terminal)}`);
    return 2;
  }
  const command = await listed.load();
  const rest = args.slice(listed.words.length);
  if (rest.some(isHelp)) {
    terminal.print(command.help);
    return 0;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    terminal.warn(isUsage ? `${error.message}\n\n${command.help}` : `landfall: ${reasonOf(error)}`);
    if (!isUsage && !(error instanceof CannotCheck) && terminal.env.LANDFALL_LOG_LEVEL === 'debug')
      terminal.warn(String(error instanceof Error ? error.stack : error));
    return 2;
  }
};

if (import.meta.main) {
  // Ends when the reader has closed the pipe: `landfall search status | head`.
  process.stdout.on('error', (error) => {
    if (!('code' in error) || error.code !== 'EPIPE') throw error;
    process.exit();
  });
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    readInput: () => text(process.stdin),
    readBytes: async () => new Uint8Array(await arrayBuffer(process.stdin)),
    print: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
  });
}
