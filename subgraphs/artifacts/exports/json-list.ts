/** Length of a chunk in characters. */
const CHUNK = 65_536;

/** Creates an array of JSON that is written as its values come: its bytes take a fraction of the memory of the values. */
export const createJsonList = () => {
  const chunks: Buffer[] = [];
  let waiting = '[';
  let isEmpty = true;
  return {
    add(json: string): void {
      waiting += isEmpty ? json : `,${json}`;
      isEmpty = false;
      if (waiting.length < CHUNK) return;
      chunks.push(Buffer.from(waiting));
      waiting = '';
    },
    /** Bytes of the array. */
    chunks: (): readonly Buffer[] => [...chunks, Buffer.from(`${waiting}]`)],
  };
};
