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
import type { VexContent, VexDocument, VexReference, VexStatement } from './vex-statement.ts';

const readerOf = (
  document: Fields,
): readonly [VexDocument['format'], (document: Fields, report: Report) => VexContent] => {
  if (document.bomFormat === 'CycloneDX') return ['cyclonedx', readCycloneDxVex];
  if (isFields(document.document)) return ['csaf', readCsaf];
  if ('statements' in document) return ['openvex', readOpenVex];
  throw new UnreadableDocument('it is neither OpenVEX nor CSAF nor CycloneDX');
};

const isUnjustified = ({ status, justification, impactStatement }: Omit<VexStatement, 'documentDigest'>): boolean =>
  status === 'not_affected' && justification === null && impactStatement === null;

/** Characters of all statements as they are stored, at most; each repeats the products that it names. */
const LONGEST_STATEMENTS = 128 * 1024 * 1024;

const lengthsOf = (texts: readonly (string | null)[]): number =>
  texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);

/** Characters of a reference, roughly. */
const lengthOf = ({ name, purl, hashes }: VexReference): number => {
  const parts = purl && [purl.namespace, purl.name, purl.version, purl.subpath, ...Object.values(purl.qualifiers)];
  return 100 + lengthsOf([name, ...hashes, ...(parts ?? [])]);
};

/** Refuses statements that are much longer than their document, because many name products of long texts. */
const expectStorable = (statements: VexContent['statements']): void => {
  const lengths = new Map<object, number>();
  const lengthOnce = (reference: VexReference): number =>
    lengths.getOrInsertComputed(reference, () => lengthOf(reference));
  let length = 0;
  for (const { products, vulnerabilityIds, justification, impactStatement } of statements) {
    length += lengthsOf([...vulnerabilityIds, justification, impactStatement]);
    for (const product of products) {
      length += lengthOnce(product);
      for (const part of product.subcomponents) length += lengthOnce(part);
    }
    if (length > LONGEST_STATEMENTS)
      throw new UnreadableDocument(`its statements have more than ${LONGEST_STATEMENTS} characters in all`);
  }
};

/**
 * Reads a VEX document in JSON: OpenVEX, CSAF or CycloneDX. Its digest is that of the bytes. Statements and products that
 * cannot be read are reported. Throws UnreadableDocument for anything else.
 */
export const readVexDocument = (bytes: Uint8Array): VexDocument => {
  const document = parseJsonObject(new TextDecoder().decode(bytes));
  const [format, read] = readerOf(document);
  const { problems, report } = createReport();
  const { issuedAt, statements } = read(document, report);
  expectStorable(statements);
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
