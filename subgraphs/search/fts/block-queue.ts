/** Grown as needed and used by one queue after the other: searches of a thread do not overlap. */
let slots = new Uint32Array(0);

/** Max-heap of blocks by upper bound; ties by lowest number. Usually only the first few are popped. */
export class BlockQueue {
  readonly #bounds: Float64Array;
  readonly #numbers: Float64Array;
  readonly #heap: Uint32Array;
  #size = 0;

  /** Builds the heap; blocks with a bound of 0 are omitted. */
  constructor(bounds: Float64Array, numbers: Float64Array, blocks: number) {
    this.#bounds = bounds;
    this.#numbers = numbers;
    if (slots.length < blocks) slots = new Uint32Array(blocks * 2);
    this.#heap = slots;
    for (let block = 0; block < blocks; block++) if ((bounds[block] ?? 0) > 0) this.#heap[this.#size++] = block;
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  get first(): number {
    return this.#heap[0] ?? 0;
  }

  dropFirst(): void {
    this.#heap[0] = this.#heap[--this.#size] ?? 0;
    this.#sink(0);
  }

  #isBefore(a: number, b: number): boolean {
    const difference = (this.#bounds[a] ?? 0) - (this.#bounds[b] ?? 0);
    return difference > 0 || (difference === 0 && (this.#numbers[a] ?? 0) < (this.#numbers[b] ?? 0));
  }

  #sink(from: number): void {
    const heap = this.#heap;
    const block = heap[from] ?? 0;
    let at = from;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && this.#isBefore(heap[child + 1] ?? 0, heap[child] ?? 0)) child++;
      if (!this.#isBefore(heap[child] ?? 0, block)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = block;
  }
}
