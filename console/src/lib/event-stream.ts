/** Server-Sent Event (WHATWG HTML 9.2). */
export type StreamEvent = {
  /** `message` where the stream names none. */
  readonly name: string;
  readonly data: string;
  /** Last id seen so far; empty when there was none. */
  readonly id: string;
};

/** Splits a stream of text in pieces of any length into events; leaves out comments and events without data. */
export function createEventReader(emit: (event: StreamEvent) => void): (piece: string) => void {
  let rest = '';
  let name = '';
  let id = '';
  let data: string[] = [];

  const end = () => {
    if (data.length > 0) emit({ name: name === '' ? 'message' : name, data: data.join('\n'), id });
    name = '';
    data = [];
  };
  const line = (text: string) => {
    if (text === '') return end();
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') name = value;
    if (field === 'id' && !value.includes('\0')) id = value;
  };

  return (piece) => {
    // A carriage return at the edge of a piece may be half of a line's end.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const text of lines) line(text);
  };
}
