import { CallGraphError } from './call-graph-error.ts';

/** Receiver of a JSON object's members. The elements of a list arrive one at a time, as they are read. */
interface MemberReceiver {
  onElement(name: string, value: unknown): void;
  onMember(name: string, value: unknown): void;
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Upper bound of one member or element, in bytes. */
const MAX_VALUE_BYTES = 1024 * 1024;
const SLICE = 256 * 1024;

const notJson = (message: string): CallGraphError => new CallGraphError('not_json', message);

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Value of a JSON text in UTF-8. */
const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    throw notJson('The document is not JSON in UTF-8.');
  }
};

const isBlank = (bytes: Uint8Array): boolean =>
  bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);

/**
 * Incremental reader of one JSON object. It finds where members and elements end and leaves their grammar to
 * `JSON.parse`, which gets as many elements at once as a slice of the document holds.
 */
class MemberReader {
  readonly #receiver: MemberReceiver;
  readonly #names = new Set<string>();
  /** Bytes from the beginning of the current name, value or element. */
  #bytes = Buffer.alloc(0);
  /** Brackets that are open: 1 inside the object, 2 inside a list that is its member. */
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #name: string | undefined;
  #isList = false;
  /** Elements of the current list that were passed on, whose separator was read. */
  #passed = 0;
  #isEnded = false;

  constructor(receiver: MemberReceiver) {
    this.#receiver = receiver;
  }

  push(slice: Uint8Array): void {
    const scanned = this.#bytes.length;
    const bytes = scanned === 0 ? Buffer.from(slice) : Buffer.concat([this.#bytes, slice]);
    let start = 0;
    let separator = -1;
    for (let i = scanned; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      if (this.#isInText) this.#readText(byte);
      else if (byte === QUOTE) this.#isInText = true;
      else if (byte === COMMA && this.#depth === 2 && this.#isList) separator = i;
      else if (this.#endsPart(byte)) {
        this.#endPart(byte, bytes.subarray(start, i));
        start = i + 1;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth--;
    }
    if (separator >= start) {
      this.#passElements(bytes.subarray(start, separator));
      start = separator + 1;
    }
    if (bytes.length - start > MAX_VALUE_BYTES)
      throw new CallGraphError('too_large', `A value of the document is longer than ${MAX_VALUE_BYTES} bytes.`);
    this.#bytes = bytes.subarray(start);
  }

  end(): void {
    if (!this.#isEnded || !isBlank(this.#bytes)) throw notJson('The document is not one whole JSON object.');
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isInText = false;
  }

  /** Whether the byte ends the text before it: a name, a value of the object, or the elements of a list. */
  #endsPart(byte: number): boolean {
    if (this.#depth === 0) return byte === OPEN_OBJECT;
    if (this.#depth === 1)
      return (
        byte === COMMA || byte === CLOSE_OBJECT || byte === OPEN_LIST || (byte === COLON && this.#name === undefined)
      );
    return this.#depth === 2 && this.#isList && byte === CLOSE_LIST;
  }

  #endPart(byte: number, before: Uint8Array): void {
    if (byte === OPEN_OBJECT) this.#begin(before);
    else if (byte === COLON) this.#beginMember(parse(before));
    else if (byte === OPEN_LIST) this.#beginList(before);
    else if (byte === CLOSE_LIST) this.#endList(before);
    else this.#endMember(byte, before);
  }

  #begin(before: Uint8Array): void {
    if (this.#isEnded || !isBlank(before)) throw notJson('The document is not one JSON object.');
    this.#depth = 1;
  }

  #beginMember(name: unknown): void {
    if (typeof name !== 'string') throw notJson('A member of the document has no name.');
    if (this.#names.has(name)) throw notJson(`The document has the member ${JSON.stringify(name)} twice.`);
    this.#names.add(name);
    this.#name = name;
  }

  #beginList(before: Uint8Array): void {
    if (this.#name === undefined || this.#isList || !isBlank(before))
      throw notJson('A list of the document has no name.');
    this.#isList = true;
    this.#passed = 0;
    this.#depth = 2;
  }

  #passElements(bytes: Uint8Array): void {
    const values = parse(Buffer.concat([Buffer.of(OPEN_LIST), bytes, Buffer.of(CLOSE_LIST)]));
    if (!Array.isArray(values) || values.length === 0) throw notJson('A list of the document has an empty element.');
    for (const value of values) this.#receiver.onElement(this.#name ?? '', value);
    this.#passed += values.length;
  }

  #endList(before: Uint8Array): void {
    if (this.#passed > 0 || !isBlank(before)) this.#passElements(before);
    this.#depth = 1;
  }

  #endMember(byte: number, before: Uint8Array): void {
    const isEmpty = this.#names.size === 0 && byte === CLOSE_OBJECT && isBlank(before);
    if (this.#isList && !isBlank(before)) throw notJson('A list of the document is followed by other text.');
    if (this.#name === undefined && !isEmpty) throw notJson('A member of the document has no value.');
    if (this.#name !== undefined && !this.#isList) this.#receiver.onMember(this.#name, parse(before));
    this.#name = undefined;
    this.#isList = false;
    if (byte === COMMA) return;
    this.#depth = 0;
    this.#isEnded = true;
  }
}

/** Reads a JSON object of any size. @throws CallGraphError for what is no JSON object and for a value above 1 MiB */
export const readMembers = async (source: AsyncIterable<Uint8Array>, receiver: MemberReceiver): Promise<void> => {
  const reader = new MemberReader(receiver);
  for await (const chunk of source)
    for (let start = 0; start < chunk.length; start += SLICE) reader.push(chunk.subarray(start, start + SLICE));
  reader.end();
};
