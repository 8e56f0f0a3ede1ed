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
interface CheckResult {
  readonly check: GatewayCheck;
  readonly finding: Finding;
}

const MARKS: Readonly<Record<Status, string>> = { pass: 'ok', warn: 'warn', fail: 'FAIL', unknown: '?' };
const MARK_WIDTH = 5;

/** Deadline of a check in milliseconds; a check that hangs is itself a finding. */
const POLL_MS = 20_000;

/** Describes in one line why a check could not run. */
const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const inspectCheck = async (check: GatewayCheck, inspection: Inspection<GatewaySettings>): Promise<CheckResult> => {
  const delayed = Promise.withResolvers<Finding>();
  const timer = setTimeout(() => delayed.resolve(fail(`no answer within ${POLL_MS / 1_000} s`)), POLL_MS);
  try {
    return { check, finding: await Promise.race([check.inspect(inspection), delayed.promise]) };
  } catch (error) {
    // An unreachable database is one failure, reported by the check of that name, and not a failure of every check.
    const isFailure = check.id === 'database' || !(error instanceof CannotCheck);
    return { check, finding: isFailure ? fail(errorText(error)) : unknown(errorText(error)) };
  } finally {
    clearTimeout(timer);
  }
};

/** Opens the installation when the first check needs its database. */
const patientOf = (settings: GatewaySettings) => {
  let opening: Promise<{ readonly installation: Installation; readonly client: pg.Client }> | undefined;

  const open = async () => {
    const installation = await openInstallation(settings);
    const client = new pg.Client({ ...installation.connection, statement_timeout: POLL_MS / 2 });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      await installation[Symbol.asyncDispose]();
      throw new CannotCheck(errorText(error));
    }
    return { installation, client };
  };

  const inspection: Inspection<GatewaySettings> = {
    settings,
    now: () => new Date(),
    async database() {
      opening ??= open();
      const { client } = await opening;
      return queryOn(sendOn(client));
    },
    // Only the login that owns the table of migrations may read it; no role of the server can.
    async migrations() {
      opening ??= open();
      const { client } = await opening;
      const existing = await client.query("select to_regclass('landfall_migrations.applied') as ledger");
      if (existing.rows[0]?.ledger === null) return [];
      const { rows } = await client.query('select name from landfall_migrations.applied');
      return rows.map(({ name }) => String(name));
    },
  };
  return {
    patient: inspection,
    async [Symbol.asyncDispose]() {
      const opened = await opening?.catch(() => undefined);
      await opened?.client.end();
      await opened?.installation[Symbol.asyncDispose]();
    },
  };
};

const requested = (only: string | undefined): readonly GatewayCheck[] => {
  if (only === undefined) return CHECKS;
  const ids = only.split(',').map((id) => id.trim());
  const missing = ids.find((id) => !CHECKS.some((check) => check.id === id));
  if (missing !== undefined) throw new UsageError(`There is no check '${missing}'; --list names them.`);
  return CHECKS.filter(({ id }) => ids.includes(id));
};

const worst = (results: readonly CheckResult[]): Status => {
  const order: readonly Status[] = ['fail', 'warn', 'unknown', 'pass'];
  return order.find((status) => results.some(({ finding }) => finding.status === status)) ?? 'pass';
};

const printText = (results: readonly CheckResult[], { print }: Terminal): void => {
  const width = Math.max(...results.map(({ check }) => check.id.length));
  for (const { check, finding } of results) {
    print(`${MARKS[finding.status].padEnd(MARK_WIDTH)} ${check.id.padEnd(width)}  ${finding.says}`);
    if (finding.status !== 'warn' && finding.status !== 'fail') continue;
    print(`${' '.repeat(MARK_WIDTH)} ${' '.repeat(width)}  ${check.meaning}`);
    print(`${' '.repeat(MARK_WIDTH)} ${' '.repeat(width)}  What to do: ${check.remedy}`);
  }
  const count = (status: Status): number => results.filter(({ finding }) => finding.status === status).length;
  print('');
  print(
    `${count('pass')} well, ${count('warn')} to know of, ${count('fail')} wrong, ${count('unknown')} not to be seen.`,
  );
};

const printJson = (results: readonly CheckResult[], { print }: Terminal): void =>
  print(
    JSON.stringify(
      {
        status: worst(results),
        checks: results.map(({ check: { id, title, meaning, remedy }, finding }) => ({
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
    const checks = requested(values.only);
    if (values.list) {
      list(checks, terminal);
      return 0;
    }
    await using opened = patientOf(await readSettings(terminal));
    const results: CheckResult[] = [];
    // One after the other: the database may have to be started first, and each is a few milliseconds.
    for (const check of checks) results.push(await inspectCheck(check, opened.patient));
    (values.json ? printJson : printText)(results, terminal);
    return worst(results) === 'fail' ? 1 : 0;
  },
};
