import { isCve, normalizeAdvisoryId } from './advisory-id.ts';
import {
  type Fields,
  feedDateOf,
  fields,
  list,
  type Problem,
  refuseUnstorable,
  textOf,
  UnreadableDocument,
} from './document-fields.ts';

/** Vulnerability that CISA knows to be exploited. */
interface KevEntry {
  readonly cveId: string;
  readonly name: string | null;
  readonly vendor: string | null;
  readonly product: string | null;
  /** Dates as published, `YYYY-MM-DD`. */
  readonly dateAdded: string | null;
  readonly dueDate: string | null;
  readonly requiredAction: string | null;
  readonly isUsedInRansomware: boolean;
}

interface KevCatalogue {
  readonly version: string | null;
  /** `dateReleased` in whole seconds; null where it is missing. */
  readonly publishedAt: string | null;
  readonly entries: readonly KevEntry[];
  readonly problems: readonly Problem[];
}

const DATE = /^\d{4}-\d\d-\d\d$/;

const dateOf = (value: unknown): string | null => {
  const text = textOf(value);
  return text !== null && DATE.test(text) ? text : null;
};

const entryOf = (row: Fields, cveId: string): KevEntry => ({
  cveId: normalizeAdvisoryId(cveId),
  name: textOf(row.vulnerabilityName),
  vendor: textOf(row.vendorProject),
  product: textOf(row.product),
  dateAdded: dateOf(row.dateAdded),
  dueDate: dateOf(row.dueDate),
  requiredAction: textOf(row.requiredAction),
  isUsedInRansomware: textOf(row.knownRansomwareCampaignUse)?.toLowerCase() === 'known',
});

/** Reads CISA's catalogue of known exploited vulnerabilities (JSON). Throws UnreadableDocument. */
export const parseKev = (value: unknown): KevCatalogue => {
  const catalogue = fields(value);
  if (!Array.isArray(catalogue.vulnerabilities))
    throw new UnreadableDocument('no KEV catalogue: vulnerabilities is not a list');
  refuseUnstorable(value);
  const entries: KevEntry[] = [];
  const problems: Problem[] = [];
  for (const [index, row] of list(catalogue.vulnerabilities).entries()) {
    const cveId = textOf(fields(row).cveID);
    if (cveId !== null && isCve(cveId)) entries.push(entryOf(fields(row), cveId));
    else problems.push({ path: `vulnerabilities[${index}]`, reason: `cveID is ${cveId ?? 'missing'}, no CVE` });
  }
  return {
    version: textOf(catalogue.catalogVersion),
    publishedAt: feedDateOf(catalogue.dateReleased),
    entries,
    problems,
  };
};
