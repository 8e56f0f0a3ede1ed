import { hashOf } from './component-graph.ts';
import { CycloneDxReader } from './cyclonedx.ts';
import type { DocumentReader } from './document-reader.ts';
import { JsonTokenizer } from './json-tokenizer.ts';
import { RecordBuilder } from './record-builder.ts';
import {
  listOf,
  type ObjectShape,
  objectOf,
  recordOf,
  recordsOf,
  type SbomRecord,
  type StreamShape,
  TEXT,
  textOf,
} from './record-shape.ts';
import type { Sbom, SbomLimits } from './sbom.ts';
import { SbomError } from './sbom-error.ts';
import { SpdxReader } from './spdx.ts';

const BASE64 = /^[\w+/-]*={0,2}$/;

/** Returns a function that decodes base64 (standard or URL-safe, RFC 4648 4 and 5) piece by piece. */
const base64Decoder = (): ((piece: string) => Buffer) => {
  let rest = '';
  return (piece) => {
    const text = rest + piece;
    const whole = piece === '' ? text.length : text.length - (text.length % 4);
    rest = text.slice(whole);
    if (!BASE64.test(text)) throw new SbomError('bad_base64', 'The payload of the DSSE envelope is not base64');
    return Buffer.from(text.slice(0, whole), 'base64');
  };
};

const ALGORITHMS = ['sha1', 'sha256', 'sha384', 'sha512'];
const STATEMENT_SUBJECTS = listOf(
  objectOf({ name: TEXT, digest: objectOf(Object.fromEntries(ALGORITHMS.map((name) => [name, TEXT]))) }),
);

/** Adds the subjects of an in-toto statement: they are what the SBOM was attached to. */
const withSubjects = (sbom: Sbom, subjects: readonly SbomRecord[]): Sbom => {
  const digests = subjects.flatMap((subject) =>
    ALGORITHMS.flatMap((name) => {
      const value = textOf(recordOf(subject, 'digest'), name);
      return value === null ? [] : [hashOf(name, value)];
    }),
  );
  const [first] = subjects;
  if (first === undefined) return sbom;
  const subject = sbom.subject ?? { name: textOf(first, 'name') ?? '', version: null, purl: null, digests: [] };
  return { ...sbom, subject: { ...subject, digests: [...new Set([...subject.digests, ...digests])] } };
};

const unsupportedGraph: ObjectShape = objectOf(
  {},
  {
    begin: () => {
      throw new SbomError('unsupported_version', 'SPDX 3.0 is not read: 2.1 to 2.3 are');
    },
  },
);

/** Reads JSON: CycloneDX, SPDX 2, either in an in-toto statement, and any of these in a DSSE envelope. */
export class JsonDocument implements DocumentReader {
  readonly #limits: SbomLimits;
  readonly #tokenizer: JsonTokenizer;
  readonly #openPayload: () => DocumentReader;
  #payload: DocumentReader | undefined;
  #sbom: Sbom | undefined;

  constructor(limits: SbomLimits, openPayload: () => DocumentReader) {
    this.#limits = limits;
    this.#openPayload = openPayload;
    const root = this.#documentShape();
    root.members.set('payload', this.#payloadShape());
    root.members.set('subject', STATEMENT_SUBJECTS);
    // In-toto: the predicate is the document. GitHub's dependency graph wraps it as `sbom`, cosign 1 as `Data`.
    const predicate = this.#documentShape();
    predicate.members.set('Data', this.#documentShape());
    root.members.set('predicate', predicate);
    root.members.set('sbom', this.#documentShape());
    const builder = new RecordBuilder(root, () => this.#tokenizer.line);
    this.#tokenizer = new JsonTokenizer(builder, limits.depth);
  }

  write(bytes: Buffer): void {
    this.#tokenizer.write(bytes);
  }

  end(): Sbom {
    this.#tokenizer.end();
    const sbom = this.#payload?.end() ?? this.#sbom;
    if (sbom === undefined)
      throw new SbomError('not_an_sbom', "The JSON document has neither 'bomFormat' nor 'spdxVersion'");
    return sbom;
  }

  #documentShape(): ObjectShape {
    const [cycloneDx, spdx] = [new CycloneDxReader(this.#limits, 'json'), new SpdxReader(this.#limits)];
    return objectOf(
      { ...cycloneDx.members, ...spdx.members, '@graph': listOf(unsupportedGraph) },
      {
        end: (record) => {
          const isCycloneDx = record.bomFormat !== undefined;
          if (isCycloneDx && record.spdxVersion !== undefined)
            throw new SbomError('not_an_sbom', "The document has both 'bomFormat' and 'spdxVersion'");
          if (isCycloneDx) this.#sbom = cycloneDx.result(record);
          else if (record.spdxVersion !== undefined) this.#sbom = spdx.result(record, 'json');
          if (this.#sbom) this.#sbom = withSubjects(this.#sbom, recordsOf(record, 'subject'));
        },
      },
    );
  }

  #payloadShape(): StreamShape {
    const decode = base64Decoder();
    const write = (piece: string) => {
      this.#payload ??= this.#openPayload();
      this.#payload.write(decode(piece));
    };
    return { kind: 'stream', piece: write, end: () => write('') };
  }
}
