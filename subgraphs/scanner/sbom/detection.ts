import { isUtf8 } from 'node:buffer';
import type { DocumentReader } from './document-reader.ts';
import { JsonDocument } from './json-document.ts';
import type { Sbom, SbomLimits } from './sbom.ts';
import { SbomError } from './sbom-error.ts';
import { SpdxTagValue } from './spdx-tag-value.ts';
import { XmlDocument } from './xml-document.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
// Tag-value may begin with a long comment.
const MAX_HEAD = 65_536;

/** First bytes of what is sometimes sent in the stead of an SBOM. */
const SIGNATURES: readonly (readonly [name: string, bytes: string])[] = [
  ['a gzip file inside a gzip file', '\x1f\x8b'],
  ['a ZIP archive', 'PK\x03\x04'],
  ['a Zstandard file', '\x28\xb5\x2f\xfd'],
  ['an XZ file', '\xfd7zXZ\x00'],
  ['a bzip2 file', 'BZh'],
  ['a PDF file', '%PDF'],
];

const refuseBinary = (head: Buffer): void => {
  const found = SIGNATURES.find(([, bytes]) => head.toString('latin1', 0, bytes.length) === bytes);
  if (found) throw new SbomError('not_an_sbom', `The document is ${found[0]}, not an SBOM`);
  const mark = head.toString('latin1', 0, 2);
  if (mark === '\xff\xfe' || mark === '\xfe\xff')
    throw new SbomError('not_utf8', 'The document is encoded in UTF-16, not UTF-8');
};

/** Length without an incomplete UTF-8 character at the end. */
const completeLength = (bytes: Buffer): number => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes.length;
    if (byte < 0xc0) continue;
    const width = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return width > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

/** Reads a document of any supported format, which its content decides and never a name. */
export class DetectingReader implements DocumentReader {
  readonly #limits: SbomLimits;
  readonly #isPayload: boolean;
  #reader: DocumentReader | undefined;
  // Bytes before the format is known, then those of an incomplete character.
  #rest: Buffer = Buffer.alloc(0);

  constructor(limits: SbomLimits, { isPayload = false }: { readonly isPayload?: boolean } = {}) {
    this.#limits = limits;
    this.#isPayload = isPayload;
  }

  /** Reads the next bytes, which may end anywhere. */
  write(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#reader ??= this.#detect(false);
    if (this.#reader) this.#forward(this.#reader, completeLength(this.#rest));
  }

  end(): Sbom {
    const reader = this.#reader ?? this.#detect(true);
    if (reader === undefined) throw new SbomError('not_an_sbom', 'The document is not a CycloneDX or SPDX document');
    this.#forward(reader, this.#rest.length);
    return reader.end();
  }

  #forward(reader: DocumentReader, length: number): void {
    const bytes = this.#rest.subarray(0, length);
    if (!isUtf8(bytes)) throw new SbomError('not_utf8', 'The document has bytes that are not UTF-8');
    this.#rest = Buffer.from(this.#rest.subarray(length));
    if (bytes.length > 0) reader.write(bytes);
  }

  #detect(isWhole: boolean): DocumentReader | undefined {
    if (this.#rest.length < 6 && !isWhole) return undefined;
    refuseBinary(this.#rest);
    if (this.#rest.subarray(0, 3).equals(BYTE_ORDER_MARK)) this.#rest = this.#rest.subarray(3);
    const head = this.#rest.toString('utf8', 0, MAX_HEAD);
    const first = head.trimStart().charAt(0);
    if (first === '' && isWhole) throw new SbomError('not_an_sbom', 'The document is empty');
    if (first === '{' || first === '[') return new JsonDocument(this.#limits, () => this.#openPayload());
    if (first === '<') return new XmlDocument(this.#limits);
    if (/^\s*SPDXVersion\s*:/m.test(head)) return new SpdxTagValue(this.#limits);
    if (/^spdxVersion\s*:/m.test(head))
      throw new SbomError('unsupported_format', 'SPDX YAML is not read: SPDX is read as JSON or tag-value');
    if (this.#rest.length >= MAX_HEAD)
      throw new SbomError('not_an_sbom', 'The document is not a CycloneDX or SPDX document');
    return undefined;
  }

  #openPayload(): DocumentReader {
    if (this.#isPayload) throw new SbomError('not_an_sbom', 'The payload of a DSSE envelope is another DSSE envelope');
    return new DetectingReader(this.#limits, { isPayload: true });
  }
}
