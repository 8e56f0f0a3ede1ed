import { sha256 } from '@landfall/kernel/crypto/digest';
import { readCsaf } from './csaf.ts';
import { readCycloneDxVex } from './cyclonedx-vex.ts';
import {
  createReport,
  type Fields,
  isFields,
  parseJsonObject,
  type Report,
  UnreadableDocument,
} from './document-fields.ts';
import { readOpenVex } from './openvex.ts';
import type { VexContent, VexDocument, VexStatement } from './vex-statement.ts';

const readerOf = (
  document: Fields,
): readonly [VexDocument['format'], (document: Fields, report: Report) => VexContent] => {
  if (document.bomFormat === 'CycloneDX') return ['cyclonedx', readCycloneDxVex];
  if (isFields(document.document)) return ['csaf', readCsaf];
  if ('statements' in document) return ['openvex', readOpenVex];
  throw new UnreadableDocument('no VEX document: neither OpenVEX nor CSAF nor CycloneDX');
};

const isUnjustified = ({ status, justification, impactStatement }: Omit<VexStatement, 'documentDigest'>): boolean =>
  status === 'not_affected' && justification === null && impactStatement === null;

/**
 * Reads a VEX document in JSON: OpenVEX, CSAF or CycloneDX. Its digest is that of the bytes. Statements and products that
 * cannot be read are reported. Throws UnreadableDocument for anything else.
 */
export const readVexDocument = (bytes: Uint8Array): VexDocument => {
  const document = parseJsonObject(new TextDecoder().decode(bytes));
  const [format, read] = readerOf(document);
  const { problems, report } = createReport();
  const { issuedAt, statements } = read(document, report);
  const list = format === 'openvex' ? 'statements' : 'vulnerabilities';
  for (const statement of statements)
    if (isUnjustified(statement))
      report(`${list}[${statement.index}]`, 'not_affected has no justification and no impact statement');
  const digest = sha256(bytes);
  return {
    format,
    digest,
    issuedAt,
    statements: statements.map((one) => ({ documentDigest: digest, ...one })),
    problems,
  };
};
