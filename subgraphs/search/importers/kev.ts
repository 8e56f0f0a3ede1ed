import type { Chunk } from '../corpus/chunk.ts';
import { chunkOf } from './chunk-builder.ts';
import { canonicalId, isCve } from './identifiers.ts';
import { type Reader, readEach, Unreadable } from './reader.ts';
import { type Fields, fields, instant, list, required, textOf, textsOf, unique } from './values.ts';

const SENTENCE_END = /[.!?]$/;

const rowChunk = (row: Fields, source: string): Chunk => {
  const id = required(row.cveID, 'cveID');
  if (!isCve(id)) throw new Unreadable(`cveID is '${id}', no CVE`);
  const name = canonicalId(id, []);
  const [vendor, product, action] = [textOf(row.vendorProject), textOf(row.product), textOf(row.requiredAction)];
  const isRansomware = textOf(row.knownRansomwareCampaignUse)?.toLowerCase() === 'known';
  const dueDate = textOf(row.dueDate);
  // The CSV has all of them in one cell.
  const cwes = textsOf(row.cwes).flatMap((cell) => cell.split(/[,;]\s*/));
  return chunkOf('vulnerability', name, {
    domain: 'findings',
    source,
    documentKey: name,
    title: textOf(row.vulnerabilityName) ?? name,
    body: [
      textOf(row.shortDescription),
      action && `Required action: ${SENTENCE_END.test(action) ? action : `${action}.`}`,
      isRansomware ? 'Known to be exploited, also by ransomware campaigns.' : 'Known to be exploited.',
    ],
    identifiers: [name],
    packages: unique([product, vendor && product && `${vendor} ${product}`]),
    occurredAt: instant(row.dateAdded),
    attributes: {
      kev: true,
      vendor,
      product,
      dateAdded: textOf(row.dateAdded),
      dueDate,
      requiredAction: action,
      ransomware: isRansomware,
      cwes: unique(cwes),
      notes: textOf(row.notes),
    },
  });
};

/** Reads a row of CISA's catalogue of known exploited vulnerabilities, from its CSV. */
export const readKevRow: Reader = (row, { source = 'kev' }) => [rowChunk(row, source)];

export const readKev: Reader = (catalogue, { source = 'kev' }) => {
  if (!Array.isArray(catalogue.vulnerabilities)) throw new Unreadable('vulnerabilities is not a list');
  return readEach(list(catalogue.vulnerabilities), 'vulnerabilities', (row) => rowChunk(fields(row), source));
};
