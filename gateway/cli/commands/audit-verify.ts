import { listLogs } from '@landfall/attestation/log/log.store';
import { logOriginOf } from '@landfall/attestation/log/origin';
import { openCheckpoint } from '@landfall/attestation/signature/checkpoint';
import { type CheckpointNote, parseCheckpoint } from '@landfall/attestation/signature/signed-note';
import { auditStatements } from '@landfall/attestation/statements/audit';
import type { VerificationKey } from '@landfall/kernel/crypto/signing/signer';
import { auditSeals, type Finding } from '@landfall/kernel/events/audit';
import { hasSeals, type Waiting } from '@landfall/kernel/events/audit.store';
import { auditLogs } from '@landfall/kernel/events/audit-log';
import {
  CannotCheck,
  type Command,
  DATABASE_HELP,
  type ExitCode,
  type Installation,
  parse,
  readText,
  type Terminal,
} from '@landfall/kernel/operator/command';
import { openInstallation, publicKeys, readSettings } from './installation.ts';
import { checkLog } from './transparency-log-check.ts';

const HELP = `usage: landfall audit verify [--checkpoint FILE]

Computes every seal over the audit trail again from its events, follows the chain of seals, and holds it against the
transparency log, whose entries must make the root that its newest checkpoint is signed for; and against those of the
platform domains that this installation had before. Holds every attested statement of every tenant against its entry of
the log and its own bundle. Says which row, which seal, which entry and which statement was edited, deleted or put in.
It reads only, and the server may run meanwhile.

  --checkpoint FILE   a checkpoint that you kept, from <platform>/tlog/api/v2/checkpoint: the log of today must begin
                      with its tree. Who can write to the whole database can make seals, log and keys anew; what he
                      cannot change is what you kept elsewhere, so keep one now and then.

${DATABASE_HELP}

Exit code: 0 the trail is whole; 1 it was tampered with; 2 it could not be checked, or not to its end, since events have
waited for a seal, or a seal for the log, for more than a minute.`;

/** Limit of printed lines about problems. */
const LINES = 200;

interface Saved {
  readonly path: string;
  readonly text: string;
  readonly note: CheckpointNote;
}

const readSaved = async (path: string, terminal: Terminal): Promise<Saved> => {
  const text = await readText(path, terminal);
  const note = parseCheckpoint(text);
  if (!note) throw new CannotCheck(`${path} is no checkpoint of a log.`);
  return { path, text, note };
};

/** Origins of every log of this installation, that of its platform domain last. */
const originsOf = async ({ database }: Installation, origin: string): Promise<string[]> => {
  const logs = await database.system.read(listLogs);
  return [...logs.map((log) => log.origin).filter((other) => other !== origin), origin];
};

interface Check {
  readonly installation: Installation;
  readonly origins: readonly string[];
  readonly keys: readonly VerificationKey[];
  readonly saved: Saved | undefined;
}

/** Line about overdue work of a worker; none while it keeps up. */
const lateOf = (name: string, { count, since, isLate }: Waiting): string[] =>
  isLate ? [`${count} ${name}, the oldest since ${since}: does a server with its worker run?`] : [];

/** Collects problems, parts that could not be checked, and one line for each checked part. */
const check = async ({ installation: { database }, origins, keys, saved }: Check) => {
  const wrong: string[] = [];
  const reportProblem = (text: string): void => void wrong.push(text);
  const reportFinding = ({ text }: Finding): void => reportProblem(text);
  if (saved && !openCheckpoint(saved.text, { origin: saved.note.origin, keys }))
    reportProblem(
      `${saved.path} is signed by no key of ${saved.note.origin}: the keys are not those of the log that it is of.`,
    );
  // Seals are read before logs: an entry that a seal refers to is then in the log that is read afterwards.
  const trail = await auditSeals(database, reportFinding);
  const logs = await Promise.all(
    origins.map((origin, i) =>
      checkLog({
        database,
        origin,
        keys,
        saved: saved?.note.origin === origin ? saved.note : undefined,
        tell: i === origins.length - 1 ? reportProblem : (text) => reportProblem(`${text} (${origin})`),
      }),
    ),
  );
  const { logged, unlogged } = await auditLogs(database, logs, reportFinding);
  const statements = await auditStatements(database, reportProblem);
  const entries = logs.map((log) => `${log.entries} entries of the log ${log.origin}`);
  const results = [
    `${trail.events} events under ${trail.seals} seals${trail.newest ? `, the newest ${trail.newest.sequence} of ${trail.newest.sealedAt}` : ''}`,
    ...(trail.unsealed.count > 0 ? [`${trail.unsealed.count} events not sealed yet`] : []),
    `${logged} seals among ${entries.join(' and ')}`,
    ...(unlogged.count > 0 ? [`${unlogged.count} seals not logged yet`] : []),
    `${statements} attested statements held against the log and their bundles`,
    ...(saved ? [`held against a kept checkpoint of ${saved.note.size} entries`] : []),
  ];
  const delayed = [...lateOf('events are not sealed', trail.unsealed), ...lateOf('seals are not in the log', unlogged)];
  return { wrong, late: delayed, seen: results };
};

type Checked = Awaited<ReturnType<typeof check>>;

/** Caveat of a result that rests on the database alone. */
const NO_SAVED_CHECKPOINT = `Held against no kept checkpoint: who can write to the whole database can make all of this anew. Keep <platform>/tlog/api/v2/checkpoint in a file elsewhere (curl -o FILE), and give it with --checkpoint FILE.`;

const conclude = ({ wrong, late: delayed, seen: results }: Checked, { print }: Terminal): ExitCode => {
  for (const line of results) print(`  ${line}`);
  for (const line of delayed) print(`  LATE  ${line}`);
  for (const line of wrong.slice(0, LINES)) print(`  WRONG  ${line}`);
  if (wrong.length > LINES) print(`  WRONG  and ${wrong.length - LINES} more`);
  if (wrong.length > 0) {
    print(`The audit trail was tampered with: ${wrong.length} ${wrong.length === 1 ? 'finding' : 'findings'}.`);
    return 1;
  }
  if (delayed.length > 0) {
    print('What is sealed and logged of the audit trail is whole; its end could not be checked.');
    return 2;
  }
  print('The audit trail is whole.');
  return 0;
};

export const auditVerify: Command = {
  help: HELP,
  run: async (args, terminal) => {
    const { values } = parse(args, { options: { checkpoint: { type: 'string' } }, names: [] });
    const settings = await readSettings(terminal);
    const saved = values.checkpoint === undefined ? undefined : await readSaved(values.checkpoint, terminal);
    await using installation = await openInstallation(settings);
    if (!(await installation.database.system.read(hasSeals)))
      throw new CannotCheck('This database has no seals yet: start this version of Landfall over it once.');
    const origins = await originsOf(installation, logOriginOf(settings.platformDomain));
    if (saved && !origins.includes(saved.note.origin))
      throw new CannotCheck(
        `${saved.path} is a checkpoint of ${saved.note.origin}, and this is ${origins.join(', ')}.`,
      );
    const keys = await publicKeys(installation, settings).list('log');
    const code = conclude(await check({ installation, origins, keys, saved }), terminal);
    if (!saved) terminal.print(NO_SAVED_CHECKPOINT);
    return code;
  },
};
