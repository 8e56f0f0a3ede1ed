import { SaxesParser, type SaxesTagNS } from 'saxes';
import { compact } from './component-graph.ts';
import { CycloneDxReader } from './cyclonedx.ts';
import type { DocumentReader } from './document-reader.ts';
import { RecordBuilder } from './record-builder.ts';
import { objectOf, type SbomRecord, type Shape } from './record-shape.ts';
import type { Sbom, SbomLimits } from './sbom.ts';
import { SbomError, type SbomErrorReason } from './sbom-error.ts';

const NAMESPACE = /^http:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/;
// Dependencies of versions before 1.2.
const DEPENDENCY_GRAPH = 'http://cyclonedx.org/schema/ext/dependency-graph/1.0';
const ENCODINGS = /^(?:utf-?8|us-ascii|ascii)$/i;

/** Element that is open: what the builder was told of it. */
interface OpenElement {
  readonly shape: Shape;
  readonly isChoice: boolean;
  text: string;
}

/** Reads CycloneDX XML. Elements of other namespaces are skipped; a DTD is refused, so no entity is ever expanded. */
export class XmlDocument implements DocumentReader {
  readonly #parser: SaxesParser<{ xmlns: true }> = new SaxesParser({ xmlns: true, position: true });
  readonly #maxDepth: number;
  readonly #reader: CycloneDxReader;
  readonly #builder: RecordBuilder;
  readonly #open: OpenElement[] = [];
  #root: SbomRecord = {};
  #namespace = '';
  #specVersion = '';
  // Levels below an element that is not read.
  #skipped = 0;

  constructor(limits: SbomLimits) {
    this.#maxDepth = limits.depth;
    this.#reader = new CycloneDxReader(limits, 'xml');
    const root = objectOf(this.#reader.members, {
      end: (record) => {
        this.#root = record;
      },
    });
    this.#builder = new RecordBuilder(root, () => this.#parser.line);
    this.#listen();
  }

  write(bytes: Buffer): void {
    this.#parser.write(bytes.toString('utf8'));
  }

  end(): Sbom {
    this.#parser.close();
    return this.#reader.result({ ...this.#root, specVersion: this.#specVersion });
  }

  #listen(): void {
    this.#parser.on('error', (error) => {
      throw this.#refusal('malformed_xml', error.message.replace(/^\d+:\d+: /, ''));
    });
    this.#parser.on('doctype', () => {
      throw this.#refusal('dtd', 'XML with a document type declaration is not read');
    });
    this.#parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && !ENCODINGS.test(encoding))
        throw this.#refusal('not_utf8', `The XML document is encoded in ${encoding}, not UTF-8`);
    });
    this.#parser.on('opentag', (tag) => this.#openElement(tag));
    this.#parser.on('closetag', () => this.#closeElement());
    this.#parser.on('text', (text) => this.#addText(text));
    this.#parser.on('cdata', (text) => this.#addText(text));
  }

  #refusal(reason: SbomErrorReason, message: string): SbomError {
    return new SbomError(reason, message, { line: this.#parser.line });
  }

  #openElement({ local, uri, attributes }: SaxesTagNS): void {
    if (this.#open.length === 0 && this.#skipped === 0) this.#openRoot(local, uri);
    else if (this.#open.length + this.#skipped >= this.#maxDepth)
      throw this.#refusal('too_deep', `XML nests deeper than ${this.#maxDepth} levels`);
    const parent = this.#open.at(-1)?.shape;
    const isOwn = uri === this.#namespace || uri === DEPENDENCY_GRAPH;
    const isRead = this.#skipped === 0 && isOwn && parent?.kind !== 'text';
    const isChoice = isRead && parent?.kind === 'list' && parent.isChoice === true;
    if (isChoice) this.#builder.begin('object');
    if (isRead && parent !== undefined && (isChoice || parent.kind === 'object')) this.#builder.key(local);
    const shape = isRead ? this.#builder.expected : undefined;
    if (shape === undefined) {
      if (isChoice) this.#builder.end();
      this.#skipped += 1;
      return;
    }
    this.#open.push({ shape, isChoice, text: '' });
    if (shape.kind === 'list' || shape.kind === 'object') this.#builder.begin(shape.kind);
    if (shape.kind !== 'object') return;
    for (const attribute of Object.values(attributes)) {
      if (attribute.uri !== '') continue;
      this.#builder.key(attribute.local);
      this.#builder.text(compact(attribute.value));
    }
  }

  #openRoot(local: string, uri: string): void {
    if (uri.startsWith('http://www.w3.org/1999/02/22-rdf-syntax-ns')) throw unsupported('SPDX RDF');
    if (local === 'Document' && uri === '') throw unsupported('SPDX XML');
    const version = NAMESPACE.exec(uri)?.[1];
    if (local !== 'bom' || version === undefined)
      throw this.#refusal(
        'not_an_sbom',
        `The root element ${JSON.stringify(local)} of namespace ${JSON.stringify(uri)} is not a CycloneDX bom`,
      );
    this.#namespace = uri;
    this.#specVersion = version;
  }

  #addText(text: string): void {
    const element = this.#open.at(-1);
    if (this.#skipped > 0 || element === undefined || element.shape.kind === 'list') return;
    if (element.shape.kind === 'object' && !element.shape.members.has('content')) return;
    if (element.text.length + text.length > 65_536)
      throw this.#refusal('too_long', 'A text is longer than 65536 characters');
    element.text += text;
  }

  #closeElement(): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    const element = this.#open.pop();
    if (element === undefined) return;
    const { shape, isChoice, text } = element;
    if (shape.kind === 'object' && shape.members.has('content')) this.#builder.key('content');
    if (shape.kind === 'text' || (shape.kind === 'object' && shape.members.has('content')))
      this.#builder.text(compact(text));
    if (shape.kind !== 'text') this.#builder.end();
    if (isChoice) this.#builder.end();
  }
}

const unsupported = (format: string): SbomError =>
  new SbomError('unsupported_format', `${format} is not read: SPDX is read as JSON or tag-value`);
