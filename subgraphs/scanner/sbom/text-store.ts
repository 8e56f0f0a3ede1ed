/** Bytes of a chunk. */
const CHUNK = 1_048_576;
/** Bytes of a length, before its text. */
const LENGTH = 3;
const ABSENT = 0xffffff;

/** Texts of many rows, as UTF-8 outside of the heap, where no collection copies them. */
export class TextStore {
  readonly #chunks: Buffer[] = [];
  #end = CHUNK;

  /** Adds a row of texts, each below 16 MB and without half a surrogate pair. @returns the position of the row */
  add(texts: readonly (string | null)[]): number {
    // UTF-8 has at most three bytes for each unit of UTF-16.
    const most = texts.reduce((sum, text) => sum + LENGTH + 3 * (text?.length ?? 0), 0);
    if (this.#end + most > CHUNK) {
      this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(CHUNK, most)));
      this.#end = 0;
    }
    const chunk = this.#chunks.at(-1);
    const start = (this.#chunks.length - 1) * CHUNK + this.#end;
    for (const text of texts) {
      const size = text === null ? 0 : (chunk?.write(text, this.#end + LENGTH) ?? 0);
      chunk?.writeUIntLE(text === null ? ABSENT : size, this.#end, LENGTH);
      this.#end += LENGTH + size;
    }
    return start;
  }

  /** A text of the row at a position, counted from 0. */
  read(position: number, index: number): string | null {
    const chunk = this.#chunks[Math.floor(position / CHUNK)];
    if (chunk === undefined) return null;
    let at = position % CHUNK;
    for (let n = 0; ; n++) {
      const size = chunk.readUIntLE(at, LENGTH);
      at += LENGTH;
      if (n === index) return size === ABSENT ? null : chunk.toString('utf8', at, at + size);
      if (size !== ABSENT) at += size;
    }
  }
}
