import { auditSeals, type Finding } from '@landfall/kernel/events/audit';
import { hasSeals } from '@landfall/kernel/events/audit.store';
import { auditLog } from '@landfall/kernel/events/audit-log';
import type { VerificationKey } from '@landfall/kernel/signing/signer';
import { openCheckpoint } from '@landfall/orchestrator/tlog/checkpoint';
import { type CheckpointNote, parseCheckpoint } from '@landfall/orchestrator/verification/signed-note';
import { CannotCheck, type Command, parse, readText } from './command.ts';
import { type Installation, openInstallation, publicKeys, readSettings } from './installation.ts';
import { checkLog } from './log-check.ts';

const HELP = `usage: landfall audit verify [--checkpoint FILE]

Computes every seal over the audit trail again from its events, follows the chain of seals, and holds it against the
transparency log, whose entries must make the root that its newest checkpoint is signed for. Says which row, which seal
and which entry was edited, deleted or put in. It reads only, and the server may run meanwhile.

  --checkpoint FILE   a checkpoint that you kept, from <platform>/tlog/api/v2/checkpoint: the log of today must begin
                      with its tree. Who can write to the whole database can make seals, log and keys anew; what he
                      cannot change is what you kept elsewhere, so keep one now and then.

Works on the database of the settings: DATABASE_URL, or the embedded one below LANDFALL_DATA_DIR, whether the server
runs or not.

Exit code: 0 the trail is whole; 1 it was tampered with; 2 it could not be checked.`;

/** Lines that are printed of what is wrong. */
const LINES = 200;

const savedFrom = async (path: string, origin: string): Promise<CheckpointNote> => {
  const note = parseCheckpoint(await readText(path));
  if (!note) throw new CannotCheck(`${path} is no checkpoint of a log.`);
  if (note.origin !== origin)
    throw new CannotCheck(`${path} is a checkpoint of ${note.origin}, and this is ${origin}.`);
  return note;
};

interface Check {
  readonly installation: Installation;
  readonly origin: string;
  readonly keys: readonly VerificationKey[];
  readonly saved: { readonly path: string; readonly text: string; readonly note: CheckpointNote } | undefined;
}

/** What is wrong, and in a line each what was looked at. */
const check = async ({ installation: { database }, origin, keys, saved }: Check) => {
  const wrong: string[] = [];
  const tell = (text: string): void => void wrong.push(text);
  const tellFinding = ({ text }: Finding): void => tell(text);
  if (saved && !openCheckpoint(saved.text, { origin, keys }))
    tell(`${saved.path} is signed by no key of ${origin}: the keys are not those of the log that it was kept from.`);
  // The seals before the log: whatever a seal that was read says of the log, the log that is read afterwards has.
  const trail = await auditSeals(database, tellFinding);
  const log = await checkLog({ database, origin, keys, saved: saved?.note, tell });
  const { logged } = await auditLog(database, log, tellFinding);
  const seen = [
    `${trail.events} events under ${trail.seals} seals${trail.newest ? `, the newest ${trail.newest.sequence} of ${trail.newest.sealedAt}` : ''}`,
    ...(trail.unsealed > 0 ? [`${trail.unsealed} events not sealed yet`] : []),
    `${logged} seals among ${log.entries} entries of the log ${origin}`,
    ...(saved ? [`held against a kept checkpoint of ${saved.note.size} entries`] : []),
  ];
  return { wrong, seen };
};

export const auditVerify: Command = {
  help: HELP,
  run: async (args, say) => {
    const { values } = parse(args, { options: { checkpoint: { type: 'string' } }, names: [] });
    const settings = await readSettings();
    const origin = `${settings.platformDomain}/log`;
    const path = values.checkpoint;
    const saved =
      path === undefined ? undefined : { path, text: await readText(path), note: await savedFrom(path, origin) };
    await using installation = await openInstallation(settings);
    if (!(await installation.database.system.read(hasSeals)))
      throw new CannotCheck('This database has no seals yet: start this version of Landfall over it once.');
    const keys = await publicKeys(installation, settings).list('log');
    const { wrong, seen } = await check({ installation, origin, keys, saved });
    for (const line of seen) say(`  ${line}`);
    for (const line of wrong.slice(0, LINES)) say(`  WRONG  ${line}`);
    if (wrong.length > LINES) say(`  WRONG  and ${wrong.length - LINES} more`);
    say(
      wrong.length === 0 ? 'The audit trail is whole.' : `The audit trail was tampered with: ${wrong.length} findings.`,
    );
    return wrong.length === 0 ? 0 : 1;
  },
};
