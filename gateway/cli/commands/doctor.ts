import { queryOn, sendOn } from '@landfall/kernel/db/query';
import { type Check, type Finding, fail, type Inspection, type Status, unknown } from '@landfall/kernel/operator/check';
import {
  CannotCheck,
  type Command,
  type ExitCode,
  type Installation,
  parse,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';
import pg from 'pg';
import { CHECKS } from '../../doctor/checks.ts';
import type { GatewaySettings } from '../../settings/settings.ts';
import { openInstallation, readSettings } from './installation.ts';

const HELP = `usage: landfall doctor [--json] [--only <check>,<check>…] [--list]

Looks at what an installation stands on, and says of what is not as it should be what it means and what to do.

  --json  one JSON document: {status, checks: [{id, title, status, says, meaning, remedy}]}
  --only  looks at these alone
  --list  lists the checks without looking

Works on the settings and the database of this environment, whether the server runs or not. Changes nothing. Exit code: 0
when nothing is wrong (warnings are not), 1 when something is, 2 when the settings themselves cannot be read.`;

type GatewayCheck = Check<GatewaySettings>;

/** Check with its result. */
interface Seen {
  readonly check: GatewayCheck;
  readonly finding: Finding;
}

const MARKS: Readonly<Record<Status, string>> = { pass: 'ok', warn: 'warn', fail: 'FAIL', unknown: '?' };
const MARK_WIDTH = 5;

/** Deadline of a check in milliseconds; a check that hangs is itself a finding. */
const LOOK_MS = 20_000;

/** Describes in one line why a check could not run. */
const obstacle = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const lookAt = async (check: GatewayCheck, patient: Inspection<GatewaySettings>): Promise<Seen> => {
  const late = Promise.withResolvers<Finding>();
  const timer = setTimeout(() => late.resolve(fail(`no answer within ${LOOK_MS / 1_000} s`)), LOOK_MS);
  try {
    return { check, finding: await Promise.race([check.inspect(patient), late.promise]) };
  } catch (error) {
    // A database that cannot be reached is one failure, told by the check of that name, and not one of every check.
    const isFailure = check.id === 'database' || !(error instanceof CannotCheck);
    return { check, finding: isFailure ? fail(obstacle(error)) : unknown(obstacle(error)) };
  } finally {
    clearTimeout(timer);
  }
};

/** Opens the installation when the first check needs its database. */
const patientOf = (settings: GatewaySettings) => {
  let opening: Promise<{ readonly installation: Installation; readonly client: pg.Client }> | undefined;

  const open = async () => {
    const installation = await openInstallation(settings);
    const client = new pg.Client({ ...installation.connection, statement_timeout: LOOK_MS / 2 });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      await installation[Symbol.asyncDispose]();
      throw new CannotCheck(obstacle(error));
    }
    return { installation, client };
  };

  const patient: Inspection<GatewaySettings> = {
    settings,
    now: () => new Date(),
    async database() {
      opening ??= open();
      const { client } = await opening;
      return queryOn(sendOn(client));
    },
    // The ledger is the login's own: no role of the server's sees it.
    async migrations() {
      opening ??= open();
      const { client } = await opening;
      const there = await client.query("select to_regclass('landfall_migrations.applied') as ledger");
      if (there.rows[0]?.ledger === null) return [];
      const { rows } = await client.query('select name from landfall_migrations.applied');
      return rows.map(({ name }) => String(name));
    },
  };
  return {
    patient,
    async [Symbol.asyncDispose]() {
      const opened = await opening?.catch(() => undefined);
      await opened?.client.end();
      await opened?.installation[Symbol.asyncDispose]();
    },
  };
};

const wanted = (only: string | undefined): readonly GatewayCheck[] => {
  if (only === undefined) return CHECKS;
  const ids = only.split(',').map((id) => id.trim());
  const missing = ids.find((id) => !CHECKS.some((check) => check.id === id));
  if (missing !== undefined) throw new UsageError(`There is no check '${missing}'; --list names them.`);
  return CHECKS.filter(({ id }) => ids.includes(id));
};

const worst = (seen: readonly Seen[]): Status => {
  const order: readonly Status[] = ['fail', 'warn', 'unknown', 'pass'];
  return order.find((status) => seen.some(({ finding }) => finding.status === status)) ?? 'pass';
};

const tellText = (seen: readonly Seen[], { print }: Terminal): void => {
  const width = Math.max(...seen.map(({ check }) => check.id.length));
  for (const { check, finding } of seen) {
    print(`${MARKS[finding.status].padEnd(MARK_WIDTH)} ${check.id.padEnd(width)}  ${finding.says}`);
    if (finding.status !== 'warn' && finding.status !== 'fail') continue;
    print(`${' '.repeat(MARK_WIDTH)} ${' '.repeat(width)}  ${check.meaning}`);
    print(`${' '.repeat(MARK_WIDTH)} ${' '.repeat(width)}  What to do: ${check.remedy}`);
  }
  const count = (status: Status): number => seen.filter(({ finding }) => finding.status === status).length;
  print('');
  print(
    `${count('pass')} well, ${count('warn')} to know of, ${count('fail')} wrong, ${count('unknown')} not to be seen.`,
  );
};

const tellJson = (seen: readonly Seen[], { print }: Terminal): void =>
  print(
    JSON.stringify(
      {
        status: worst(seen),
        checks: seen.map(({ check: { id, title, meaning, remedy }, finding }) => ({
          id,
          title,
          ...finding,
          meaning,
          remedy,
        })),
      },
      null,
      2,
    ),
  );

const list = (checks: readonly GatewayCheck[], { print }: Terminal): void => {
  const width = Math.max(...checks.map(({ id }) => id.length));
  for (const { id, title } of checks) print(`${id.padEnd(width)}  ${title}`);
};

export const doctor: Command = {
  help: HELP,
  run: async (args, terminal): Promise<ExitCode> => {
    const options = { json: { type: 'boolean' }, only: { type: 'string' }, list: { type: 'boolean' } } as const;
    const { values } = parse(args, { options, names: [] });
    const checks = wanted(values.only);
    if (values.list) {
      list(checks, terminal);
      return 0;
    }
    await using opened = patientOf(await readSettings(terminal));
    const seen: Seen[] = [];
    // One after the other: the database may have to be started first, and each is a few milliseconds.
    for (const check of checks) seen.push(await lookAt(check, opened.patient));
    (values.json ? tellJson : tellText)(seen, terminal);
    return worst(seen) === 'fail' ? 1 : 0;
  },
};
