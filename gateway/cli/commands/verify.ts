import type { Expected } from '@landfall/attestation/bundle/expected-statement';
import { MalformedBundle, parseBundle } from '@landfall/attestation/bundle/parse-bundle';
import { MalformedTrust, parseTrust, type Trust } from '@landfall/attestation/bundle/trust';
import { checkNames, required, type Verification } from '@landfall/attestation/bundle/verification';
import { verifyBundle } from '@landfall/attestation/bundle/verify-bundle';
import { parseStatement } from '@landfall/attestation/signature/statement';
import { isId } from '@landfall/kernel/core/ids';
import {
  CannotCheck,
  type Command,
  type ExitCode,
  parse,
  readText,
  type Terminal,
  UsageError,
} from '@landfall/kernel/operator/command';

const HELP = `usage: landfall verify BUNDLE --trust FILE --subject DIGEST (--predicate TYPE | --deployment ID)

Checks a Sigstore bundle of a deployment or another deed: who signed it, and that the transparency log has it. Needs no
database and no network, only the bundle and the platform's trust document, which is best fetched once and kept:
<platform>/tlog/trust.json.

  --trust FILE        the trust document
  --subject DIGEST    the image that the statement must be about: sha256:<64 hex digits>
  --predicate TYPE    the kind of statement that it must be, as https://landfall.example/predicates/deployment@v1
  --deployment ID     the deployment that it must be about

Exit code: 0 verified; 1 a check failed; 2 not everything could be checked, or nothing says what the bundle must be about.`;

const options = {
  trust: { type: 'string' },
  subject: { type: 'string' },
  predicate: { type: 'string' },
  deployment: { type: 'string' },
} as const;

/** Lower-cases a GUID (RFC 9562 4: read in any case); leaves other text unchanged. */
const plainGuid = (text: string): string => (isId(text, 'Deployment') ? text.toLowerCase() : text);

const trustFrom = async (path: string, terminal: Terminal): Promise<Trust> => {
  try {
    return parseTrust(await readText(path, terminal));
  } catch (error) {
    if (error instanceof MalformedTrust) throw new CannotCheck(`${path} is no trust document: ${error.message}`);
    throw error;
  }
};

const MARKS = { pass: 'ok  ', fail: 'FAIL', skipped: '-   ' } as const;

const linesOf = ({ checks, details, log, signedAt }: Verification): string[] => [
  ...checkNames.map((name) => `  ${MARKS[checks[name]]}  ${name.padEnd(11)}  ${details[name] ?? ''}`.trimEnd()),
  ...(log ? [`        log ${log.origin}, entry ${log.index} of ${log.treeSize}`] : []),
  ...(signedAt ? [`        signed at ${signedAt.toISOString()}`] : []),
];

/** Lists the subjects of the statement, for comparison with digests from elsewhere. */
const aboutOf = (text: string): string[] => {
  try {
    const statement = parseStatement(parseBundle(text).payload);
    if (!statement) return [];
    const { predicate = {}, predicateType, subject } = statement;
    const deployment = typeof predicate.deploymentId === 'string' ? [`deployment ${predicate.deploymentId}`] : [];
    const images = subject.map(({ name = '', digest }) => `${name} sha256:${digest.sha256}`.trim());
    return ['It says that it is about', ...[predicateType, ...deployment, ...images].map((line) => `  ${line}`)];
  } catch (error) {
    if (error instanceof MalformedBundle) return [];
    throw error;
  }
};

/** Formats the result as a sentence and an exit code. */
const conclude = ({ verified, checks, errorMessage }: Verification): readonly [string, ExitCode] => {
  if (verified) return ['Verified.', 0];
  if (checkNames.some((name) => checks[name] === 'fail')) return [`Not verified. ${errorMessage ?? ''}`.trimEnd(), 1];
  const open = checkNames.filter((name) => required.has(name) && checks[name] === 'skipped');
  return [`Not verified: ${open.join(' and ')} could not be checked. Say what it must be about.`, 2];
};

export const verify: Command = {
  help: HELP,
  run: async (args, terminal) => {
    const { values, positionals } = parse(args, { options, names: ['BUNDLE'] });
    if (values.trust === undefined) throw new UsageError('--trust is missing.');
    const expected: Expected = {
      subjectDigest: values.subject,
      predicateType: values.predicate,
      deploymentId: values.deployment && plainGuid(values.deployment),
    };
    const trust = await trustFrom(values.trust, terminal);
    const text = await readText(positionals[0] ?? '', terminal);
    const verification = verifyBundle(text, trust, expected);
    const [sentence, code] = conclude(verification);
    for (const line of [...linesOf(verification), ...(code === 2 ? aboutOf(text) : []), sentence]) terminal.print(line);
    return code;
  },
};
