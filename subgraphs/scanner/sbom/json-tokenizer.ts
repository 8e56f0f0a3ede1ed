import { SbomError, type SbomErrorReason } from './sbom-error.ts';

/** Receiver of the tokens of a JSON document. */
export interface JsonHandler {
  begin(kind: 'object' | 'list'): void;
  end(): void;
  key(name: string): void;
  /** Form in which the text that begins is wanted. */
  textMode(): 'none' | 'whole' | 'pieces';
  piece(text: string): void;
  text(value: string): void;
  scalar(kind: 'number' | 'boolean' | 'null'): void;
}

// Above every identifier, and too short to fill the memory.
const MAX_TEXT = 65_536;
const MAX_LITERAL = 400;
const MAX_MEMBERS = 10_000;
const LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const [NEWLINE, QUOTE, COMMA, COLON, BACKSLASH] = [0x0a, 0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

const isBlank = (byte: number): boolean => byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;

const endsLiteral = (byte: number): boolean =>
  isBlank(byte) || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === COLON || byte === QUOTE;

type Expectation = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd' | 'nothing';

/**
 * Incremental tokenizer of strict JSON (RFC 8259) in UTF-8. Refuses duplicate keys and unpaired surrogates, in values
 * that nobody reads as well. Chunks must end at the end of a character.
 */
export class JsonTokenizer {
  line = 1;
  readonly #handler: JsonHandler;
  readonly #maxDepth: number;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #expects: Expectation = 'value';
  readonly #objects: boolean[] = [];
  // Keys of the open object of each level.
  readonly #names: Set<string>[] = [];
  #textMode: 'outside' | 'key' | 'none' | 'whole' | 'pieces' = 'outside';
  #text = '';
  #escape = '';
  #highSurrogate = 0;
  #literal = '';

  constructor(handler: JsonHandler, maxDepth: number) {
    this.#handler = handler;
    this.#maxDepth = maxDepth;
  }

  write(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#at = 0;
    while (this.#at < bytes.length) {
      if (this.#escape !== '') this.#readEscape();
      else if (this.#textMode !== 'outside') this.#readText();
      else if (this.#literal !== '') this.#readLiteral();
      else this.#readToken();
    }
  }

  /** Ends the document. Throws malformed_json if it is cut off. */
  end(): void {
    if (this.#literal !== '') this.#endLiteral();
    if (this.#expects !== 'nothing') throw this.#malformed('The JSON document is cut off');
  }

  #refusal(reason: SbomErrorReason, message: string): SbomError {
    return new SbomError(reason, message, { line: this.line });
  }

  #malformed(message: string): SbomError {
    return this.#refusal('malformed_json', message);
  }

  #readToken(): void {
    this.#skipBlanks();
    if (this.#at === this.#bytes.length) return;
    const byte = this.#bytes[this.#at] ?? 0;
    if (byte === QUOTE) this.#beginText();
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#begin(byte === OPEN_OBJECT);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#end(byte === CLOSE_OBJECT);
    else if (byte === COLON && this.#expects === 'colon') this.#expects = 'value';
    else if (byte === COMMA && this.#expects === 'commaOrEnd') this.#expects = this.#isInObject() ? 'key' : 'value';
    else {
      if (endsLiteral(byte) || !this.#takesValue()) throw this.#unexpected(byte);
      this.#readLiteral();
      return;
    }
    this.#at += 1;
  }

  #skipBlanks(): void {
    for (; this.#at < this.#bytes.length; this.#at += 1) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (!isBlank(byte)) return;
      if (byte === NEWLINE) this.line += 1;
    }
  }

  #isInObject(): boolean {
    return this.#objects.at(-1) === true;
  }

  #takesValue(): boolean {
    return this.#expects === 'value' || this.#expects === 'valueOrEnd';
  }

  #unexpected(byte: number): SbomError {
    const character = byte > 0x20 && byte < 0x7f ? `'${String.fromCharCode(byte)}'` : `byte 0x${byte.toString(16)}`;
    return this.#malformed(`Unexpected ${character} in JSON`);
  }

  #begin(isObject: boolean): void {
    if (!this.#takesValue()) throw this.#unexpected(isObject ? OPEN_OBJECT : OPEN_LIST);
    const depth = this.#objects.length;
    if (depth === this.#maxDepth) throw this.#refusal('too_deep', `JSON nests deeper than ${this.#maxDepth} levels`);
    this.#objects.push(isObject);
    // A set that is cleared instead leaves a chain of tables, which only a full collection frees.
    if (isObject) this.#names[depth] = new Set();
    this.#expects = isObject ? 'keyOrEnd' : 'valueOrEnd';
    this.#handler.begin(isObject ? 'object' : 'list');
  }

  #end(isObject: boolean): void {
    const mayEnd =
      this.#expects === 'commaOrEnd' || (isObject ? this.#expects === 'keyOrEnd' : this.#expects === 'valueOrEnd');
    if (!mayEnd || this.#isInObject() !== isObject) throw this.#unexpected(isObject ? CLOSE_OBJECT : CLOSE_LIST);
    this.#objects.pop();
    this.#handler.end();
    this.#endValue();
  }

  #endValue(): void {
    this.#expects = this.#objects.length === 0 ? 'nothing' : 'commaOrEnd';
  }

  #beginText(): void {
    const isKey = this.#expects === 'key' || this.#expects === 'keyOrEnd';
    if (!isKey && !this.#takesValue()) throw this.#unexpected(QUOTE);
    this.#textMode = isKey ? 'key' : this.#handler.textMode();
    this.#text = '';
  }

  #readText(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let byte = 0;
    for (; at < bytes.length; at += 1) {
      byte = bytes[at] ?? 0;
      if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) break;
    }
    if (at > start) {
      if (this.#highSurrogate !== 0) throw this.#loneSurrogate();
      if (this.#textMode !== 'none') this.#append(bytes.toString('utf8', start, at));
    }
    this.#at = at + 1;
    if (at === bytes.length) return;
    if (byte === QUOTE) this.#endText();
    else if (byte === BACKSLASH) this.#escape = '\\';
    else throw this.#malformed('JSON has a control character in a text');
  }

  #append(text: string): void {
    if (this.#textMode === 'pieces') this.#handler.piece(text);
    else if (this.#textMode !== 'none') this.#text += text;
    if (this.#text.length > MAX_TEXT) throw this.#refusal('too_long', `A text is longer than ${MAX_TEXT} characters`);
  }

  #loneSurrogate(): SbomError {
    return this.#refusal('lone_surrogate', 'A text has half a surrogate pair');
  }

  #readEscape(): void {
    const character = String.fromCharCode(this.#bytes[this.#at] ?? 0);
    this.#at += 1;
    if (this.#escape !== '\\' || character === 'u') this.#escape += character;
    else {
      const value = ESCAPES[character];
      if (value === undefined) throw this.#malformed(`JSON has no escape '\\${character}'`);
      this.#appendUnit(value.charCodeAt(0));
    }
    if (this.#escape.length < 6) return;
    const digits = this.#escape.slice(2);
    if (!/^[0-9A-Fa-f]{4}$/.test(digits)) throw this.#malformed(`JSON has no escape '${this.#escape}'`);
    this.#appendUnit(Number.parseInt(digits, 16));
  }

  #appendUnit(unit: number): void {
    this.#escape = '';
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== (this.#highSurrogate !== 0)) throw this.#loneSurrogate();
    if (unit >= 0xd800 && unit <= 0xdbff) {
      this.#highSurrogate = unit;
      return;
    }
    this.#append(isLow ? String.fromCharCode(this.#highSurrogate, unit) : String.fromCharCode(unit));
    this.#highSurrogate = 0;
  }

  #endText(): void {
    if (this.#highSurrogate !== 0) throw this.#loneSurrogate();
    const mode = this.#textMode;
    this.#textMode = 'outside';
    if (mode === 'key') {
      this.#addName(this.#text);
      this.#expects = 'colon';
      this.#handler.key(this.#text);
    } else {
      this.#handler.text(this.#text);
      this.#endValue();
    }
  }

  #addName(name: string): void {
    const names = this.#names[this.#objects.length - 1];
    if (names?.has(name)) throw this.#refusal('duplicate_key', `An object has the key ${JSON.stringify(name)} twice`);
    if (names && names.size >= MAX_MEMBERS)
      throw this.#refusal('too_many', `An object has more than ${MAX_MEMBERS} keys`);
    names?.add(name);
  }

  #readLiteral(): void {
    const start = this.#at;
    while (this.#at < this.#bytes.length && !endsLiteral(this.#bytes[this.#at] ?? 0)) this.#at += 1;
    this.#literal += this.#bytes.toString('latin1', start, Math.min(this.#at, start + MAX_LITERAL + 1));
    if (this.#literal.length > MAX_LITERAL) throw this.#malformed('JSON has a number of too many digits');
    if (this.#at < this.#bytes.length) this.#endLiteral();
  }

  #endLiteral(): void {
    const literal = this.#literal;
    this.#literal = '';
    if (!LITERAL.test(literal)) throw this.#malformed(`${JSON.stringify(literal.slice(0, 40))} is not a JSON value`);
    const isBoolean = literal === 'true' || literal === 'false';
    this.#handler.scalar(literal === 'null' ? 'null' : isBoolean ? 'boolean' : 'number');
    this.#endValue();
  }
}
