import { compact } from './component-graph.ts';
import type { DocumentReader } from './document-reader.ts';
import type { SbomRecord } from './record-shape.ts';
import type { Sbom, SbomLimits } from './sbom.ts';
import { refuseNul, SbomError } from './sbom-error.ts';
import { SpdxReader } from './spdx.ts';

const MAX_LINE = 1_048_576;
const TAG = /^\s*([A-Za-z]\w*)\s*:\s*(.*)$/s;

/** Tags of a package, as the members of SPDX JSON. */
const PACKAGE_TAGS: ReadonlyMap<string, string> = new Map([
  ['SPDXID', 'SPDXID'],
  ['PackageVersion', 'versionInfo'],
  ['PrimaryPackagePurpose', 'primaryPackagePurpose'],
]);

/** Tags that begin another element than a package. */
const OTHER_ELEMENTS = new Set(['FileName', 'SnippetSPDXID', 'LicenseID']);

interface PackageEntry {
  readonly line: number;
  readonly record: SbomRecord;
  readonly externalRefs: SbomRecord[];
  readonly checksums: SbomRecord[];
}

/** Reads SPDX 2 tag-value (SPDX 2.3, annex on tag-value). Lines end with a line feed, a carriage return or both. */
export class SpdxTagValue implements DocumentReader {
  readonly #spdx: SpdxReader;
  readonly #document: SbomRecord = {};
  #package: PackageEntry | undefined;
  #line = 0;
  #rest = '';
  #isInText = false;

  constructor(limits: SbomLimits) {
    this.#spdx = new SpdxReader(limits);
  }

  write(bytes: Buffer): void {
    const text = this.#rest + bytes.toString('utf8');
    // A carriage return at the end may be the half of a line's end.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MAX_LINE) throw this.#refusal(`A line is longer than ${MAX_LINE} characters`);
    for (const line of lines) this.#readLine(line);
  }

  end(): Sbom {
    this.#readLine(this.#rest.replace(/\r$/, ''));
    if (this.#isInText) throw this.#refusal('<text> is not closed');
    this.#endPackage();
    return this.#spdx.result(this.#document, 'tag-value');
  }

  #refusal(message: string): SbomError {
    return new SbomError('malformed_tag_value', message, { line: this.#line });
  }

  #readLine(line: string): void {
    this.#line += 1;
    if (this.#isInText) {
      this.#isInText = !line.includes('</text>');
      return;
    }
    if (line.trim() === '' || line.trimStart().startsWith('#')) return;
    const [, tag, value] = TAG.exec(line) ?? [];
    if (tag === undefined || value === undefined)
      throw this.#refusal(`${JSON.stringify(line.slice(0, 40))} is not a tag with a value`);
    // A text of several lines is a comment or a licence, which no scan reads.
    this.#isInText = value.startsWith('<text>') && !value.includes('</text>');
    this.#readTag(tag, compact(value.replace(/^<text>|<\/text>.*$/g, '').trim()));
  }

  #readTag(tag: string, value: string): void {
    refuseNul(value, () => ({ line: this.#line }));
    if (tag === 'SPDXVersion') this.#document.spdxVersion = value;
    else if (tag === 'DocumentNamespace') this.#document.documentNamespace = value;
    else if (tag === 'Relationship') this.#readRelationship(value);
    else if (tag === 'PackageName') {
      this.#endPackage();
      this.#package = { line: this.#line, record: { name: value }, externalRefs: [], checksums: [] };
    } else if (OTHER_ELEMENTS.has(tag)) this.#endPackage();
    else if (this.#package) this.#readPackageTag(this.#package, tag, value);
  }

  #readPackageTag({ record, externalRefs, checksums }: PackageEntry, tag: string, value: string): void {
    const member = PACKAGE_TAGS.get(tag);
    if (member !== undefined) record[member] = value;
    const [first, second, third] = value.split(/\s+/);
    if (tag === 'ExternalRef' && second !== undefined && third !== undefined)
      externalRefs.push({ referenceType: second, referenceLocator: compact(third) });
    if (tag === 'PackageChecksum' && first !== undefined && second !== undefined)
      checksums.push({ algorithm: first.replace(/:$/, ''), checksumValue: second });
  }

  #readRelationship(value: string): void {
    const [from, type, to] = value.split(/\s+/);
    if (from === undefined || type === undefined || to === undefined)
      throw this.#refusal(`${JSON.stringify(value.slice(0, 80))} is not a relationship`);
    this.#spdx.addRelationship(compact(from), type, compact(to));
  }

  #endPackage(): void {
    if (this.#package === undefined) return;
    const { line, record, externalRefs, checksums } = this.#package;
    this.#package = undefined;
    if (record.SPDXID === undefined) throw new SbomError('missing_field', 'A package has no SPDXID', { line });
    this.#spdx.addPackage({ ...record, externalRefs, checksums });
  }
}
