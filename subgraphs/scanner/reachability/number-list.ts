/** Growing list of 32-bit numbers in one buffer, which needs a quarter of the memory of an array. */
export const createNumberList = () => {
  let numbers = new Uint32Array(1024);
  let length = 0;
  return {
    get length(): number {
      return length;
    },
    push(value: number): void {
      if (length === numbers.length) {
        const larger = new Uint32Array(2 * length);
        larger.set(numbers);
        numbers = larger;
      }
      numbers[length++] = value;
    },
    /** View of the numbers so far; a later push may move them. */
    view: (): Uint32Array => numbers.subarray(0, length),
  };
};
