import { openAsBlob } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import {
  type Command,
  callersPath,
  type ExitCode,
  parse,
  readText,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';
import { type FailRule, parseFailRule, RULE_HELP, RuleError } from '../gate/fail-rule.ts';
import { coverageLine, findingTable } from '../gate/finding-table.ts';
import { sarifOf } from '../gate/sarif.ts';
import { runScan, ScanFailed, type SentSbom } from '../gate/scan-client.ts';
import type { ScanReport } from '../gate/scan-report.ts';
import { DeadlinePassed, openServer, RequestRefused, type ServerAccess, ServerError } from '../gate/server-client.ts';

const OPTIONS = {
  'fail-on': { type: 'string' },
  'allow-not-evaluated': { type: 'boolean', default: false },
  format: { type: 'string', default: 'table' },
  output: { type: 'string' },
  timeout: { type: 'string', default: '600' },
  image: { type: 'string' },
  name: { type: 'string' },
  version: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  'auth-url': { type: 'string' },
  'client-id': { type: 'string' },
  'client-secret-file': { type: 'string' },
} as const;

const HELP = `usage: landfall scan <sbom> [--fail-on RULE] [flags]

Sends a software bill of materials (CycloneDX or SPDX, also gzipped; - reads the standard input) to a running server, waits
for its scan, and prints the findings. The same bill of the same subject is the same scan: a repetition costs nothing.

  --fail-on RULE              ends with 1 if a finding meets the rule: one term, or several with commas, of which any counts
  --allow-not-evaluated       accepts a scan in which no component could be evaluated; otherwise --fail-on ends with 3
  --format table|json|sarif   table for people; JSON; SARIF 2.1.0
  --output FILE               writes the result there instead of the standard output
  --timeout SECONDS           time limit of the whole command; 600
  --image sha256:…            digest of the image that the bill describes; otherwise as the bill says
  --name NAME, --version V    subject of the bill; otherwise as the bill says
  --server URL                the web listener; LANDFALL_SERVER, LANDFALL_BASE_URL, or http://localhost:4000
  --token TOKEN               access token; LANDFALL_TOKEN, which no other process sees
  --client-id ID              instead of a token: LANDFALL_CLIENT_ID, with
  --client-secret-file FILE   a file with the secret; or LANDFALL_CLIENT_SECRET in the environment, and
  --auth-url URL              the authority; LANDFALL_AUTH_URL, or http://localhost:4001

Terms of a rule:
${RULE_HELP}
Notices that are no vulnerabilities, and findings that a VEX statement rules out, are listed and meet no rule.

Scopes: scanner:read and scanner:write.

Exit code: 0 no finding meets the rule; 1 findings meet it; 2 wrong usage; 3 the bill could not be read, the scan failed, did
not end in time, or evaluated nothing; 4 the server cannot be reached or refuses.`;

const FORMATS = ['table', 'json', 'sarif'] as const;

type Values = ReturnType<typeof parse<typeof OPTIONS>>['values'];

const readRule = ({ 'fail-on': text }: Values): FailRule | undefined => {
  if (text === undefined) return undefined;
  try {
    return parseFailRule(text);
  } catch (error) {
    throw error instanceof RuleError ? new UsageError(error.message) : error;
  }
};

const readFormat = ({ format }: Values) => {
  const found = FORMATS.find((each) => each === format);
  if (!found) throw new UsageError(`--format is '${format}', none of ${FORMATS.join(', ')}.`);
  return found;
};

const readTimeout = ({ timeout }: Values): number => {
  const seconds = Number(timeout);
  if (/^\d+$/.test(timeout) && seconds >= 1 && seconds <= 86_400) return seconds * 1_000;
  throw new UsageError(`--timeout is '${timeout}', no number of seconds from 1 to 86400.`);
};

const readUrl = (name: string, text: string): string => {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return text.replace(/\/+$/, '');
  throw new UsageError(`${name} is '${text}', no http:// or https:// address.`);
};

const readCredentials = async (values: Values, terminal: Terminal): Promise<ServerAccess['credentials']> => {
  const { LANDFALL_TOKEN, LANDFALL_CLIENT_ID, LANDFALL_CLIENT_SECRET, LANDFALL_AUTH_URL } = terminal.env;
  const token = values.token ?? LANDFALL_TOKEN;
  const clientId = values['client-id'] ?? LANDFALL_CLIENT_ID;
  if (token && values['client-id'] === undefined) return { token };
  if (!clientId)
    throw new UsageError('There is no token: set LANDFALL_TOKEN, or LANDFALL_CLIENT_ID and LANDFALL_CLIENT_SECRET.');
  const file = values['client-secret-file'];
  const clientSecret = file === undefined ? LANDFALL_CLIENT_SECRET : (await readText(file, terminal)).trim();
  if (!clientSecret) throw new UsageError('--client-secret-file is missing, or LANDFALL_CLIENT_SECRET.');
  const authUrl = readUrl('--auth-url', values['auth-url'] ?? LANDFALL_AUTH_URL ?? 'http://localhost:4001');
  return { authUrl, clientId, clientSecret };
};

const readAccess = async (values: Values, terminal: Terminal): Promise<ServerAccess> => {
  const { LANDFALL_SERVER, LANDFALL_BASE_URL } = terminal.env;
  const deadline = performance.now() + readTimeout(values);
  const server = readUrl('--server', values.server ?? LANDFALL_SERVER ?? LANDFALL_BASE_URL ?? 'http://localhost:4000');
  return { server, deadline, credentials: await readCredentials(values, terminal) };
};

/** Reads standard input as bytes, because a gzipped bill is no text. */
const readInput = async (terminal: Terminal): Promise<Blob> =>
  new Blob([terminal.readBytes ? await terminal.readBytes() : await terminal.readInput()]);

const openFile = async (name: string, terminal: Terminal): Promise<Blob> => {
  const path = callersPath(name, terminal);
  try {
    if (!(await stat(path)).isFile()) throw new UsageError(`${name} is no file.`);
    return await openAsBlob(path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new UsageError(`${name} cannot be read (${code}).`);
  }
};

const readSbom = async (sbom: string, values: Values, terminal: Terminal): Promise<SentSbom> => {
  const { image: imageDigest, name, version } = values;
  if (imageDigest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(imageDigest))
    throw new UsageError(`--image is '${imageDigest}', no digest: sha256: and 64 lower-case hexadecimal digits.`);
  const body = sbom === '-' ? await readInput(terminal) : await openFile(sbom, terminal);
  return { sbom, body, imageDigest, name, version };
};

const render = (report: ScanReport, format: (typeof FORMATS)[number], rule: FailRule | undefined): string => {
  if (format === 'sarif') return JSON.stringify(sarifOf(report, rule), undefined, 2);
  if (format === 'table') return findingTable(report).join('\n');
  const meeting = rule && report.findings.filter(rule.isMet).map(({ findingId }) => findingId);
  return JSON.stringify({ ...report, ...(rule && { failOn: rule.text, meeting }) }, undefined, 2);
};

/** Writes the result to a file or the standard output. */
const write = async (text: string, { output }: Values, terminal: Terminal): Promise<void> => {
  if (output === undefined) {
    terminal.print(text);
    return;
  }
  try {
    await writeFile(callersPath(output, terminal), `${text}\n`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new UsageError(`${output} cannot be written (${code}).`);
  }
};

/** Exit code of a completed scan by its rule; the reason goes to standard error. */
const judge = (report: ScanReport, rule: FailRule | undefined, values: Values, { warn }: Terminal): ExitCode => {
  if (!rule) return 0;
  if (report.coverage.evaluated === 0 && !values['allow-not-evaluated']) {
    warn(`not evaluated: ${coverageLine(report.coverage)}. --allow-not-evaluated accepts that.`);
    return 3;
  }
  const meeting = report.findings.filter(rule.isMet);
  if (meeting.length === 0) {
    warn(`passed: no finding meets ${rule.text}; ${coverageLine(report.coverage)}.`);
    return 0;
  }
  const named = meeting.slice(0, 10).map(({ vulnId, purl }) => `${vulnId} (${purl})`);
  const rest = meeting.length > named.length ? `, and ${meeting.length - named.length} more` : '';
  warn(`failed: ${meeting.length} of ${report.findings.length} findings meet ${rule.text}: ${named.join(', ')}${rest}`);
  return 1;
};

/** Exit code of an error, with its reason on standard error. Anything else is thrown. */
const explain = (error: unknown, sbom: string, { warn }: Terminal): ExitCode => {
  if (error instanceof RequestRefused) {
    warn(`not scanned: the server refuses ${sbom}: ${error.message}`);
    return 3;
  }
  if (error instanceof ScanFailed || error instanceof DeadlinePassed) {
    warn(`not scanned: ${error.message}`);
    return 3;
  }
  if (!(error instanceof ServerError)) throw error;
  warn(`no answer: ${error.message}`);
  return 4;
};

/** `landfall scan`. */
export const scan: Command = {
  help: HELP,
  async run(args, terminal) {
    const { positionals, values } = parse(args, { options: OPTIONS, names: ['<sbom>'] });
    const [sbom = ''] = positionals;
    const [rule, format] = [readRule(values), readFormat(values)];
    const access = await readAccess(values, terminal);
    const sent = await readSbom(sbom, values, terminal);
    let report: ScanReport;
    try {
      report = await runScan(await openServer(access), sent);
    } catch (error) {
      return explain(error, sbom, terminal);
    }
    await write(render(report, format, rule), values, terminal);
    return judge(report, rule, values, terminal);
  },
};
