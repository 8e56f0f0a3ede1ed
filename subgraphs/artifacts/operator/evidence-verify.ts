import { open } from 'node:fs/promises';
import {
  type Command,
  callersPath,
  cannotRead,
  type ExitCode,
  parse,
  readText,
  type Terminal,
} from '@landfall/kernel/operator/command';
import { ExportRefused, type VerifiedExport, verifyExport } from '../exports/verification.ts';

const HELP = `usage: landfall evidence verify ARCHIVE [--trust FILE]

Checks the archive (tar.gz) of an evidence export: every byte of every file, the signature of its manifest, and the
timestamp, whose time decides whether the key and the certificates were valid. Needs no database and no network, and does
not ask the clock.

  --trust FILE   the platform's trust document, which is best fetched once and kept: <platform>/tlog/trust.json. Without
                 it the keys in the archive are used, which prove nothing about who made it.

Exit code: 0 verified, 1 refused, 2 not checked, or only by the keys in the archive.`;

const linesOf = ({ manifest, keyId, signedAt, isOwnTime }: VerifiedExport): string[] => [
  `  bundle     ${manifest.bundleId}${manifest.subject ? ` of the ${manifest.subject.kind} ${manifest.subject.id}` : ''}`,
  `  tenant     ${manifest.tenant}, of ${manifest.platformDomain}`,
  `  files      ${manifest.entryCount}, root ${manifest.rootHash}`,
  `  signed by  ${keyId}`,
  `  signed at  ${signedAt.toISOString()}, as ${isOwnTime ? 'the platform itself' : 'an independent authority'} attests`,
  ...manifest.missing.map(
    ({ artifactId, reason, sha256 }) => `  MISSING    ${artifactId}: ${reason}, sha256:${sha256}`,
  ),
];

const verify = async (path: string, trust: string | undefined, terminal: Terminal): Promise<ExitCode> => {
  await using file = await open(callersPath(path, terminal)).catch((error: unknown) => {
    throw cannotRead(path, error);
  });
  try {
    const verified = await verifyExport(file.createReadStream({ autoClose: false }), trust);
    for (const line of linesOf(verified)) terminal.print(line);
    terminal.print(
      verified.isOwnTrust ? 'Whole, but only by its own keys: name a trust document by --trust.' : 'Verified.',
    );
    return verified.isOwnTrust ? 2 : 0;
  } catch (error) {
    if (!(error instanceof ExportRefused)) throw error;
    terminal.print(`Refused: ${error.message}.`);
    return 1;
  }
};

export const evidenceVerify: Command = {
  help: HELP,
  run: async (args, terminal) => {
    const { values, positionals } = parse(args, { options: { trust: { type: 'string' } }, names: ['ARCHIVE'] });
    const trust = values.trust === undefined ? undefined : await readText(values.trust, terminal);
    return verify(positionals[0] ?? '', trust, terminal);
  },
};
