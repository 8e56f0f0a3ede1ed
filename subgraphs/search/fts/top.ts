/** A document that was found. */
export interface Found {
  readonly score: number;
  readonly number: number;
  /** The segment's place among those searched, and the document's in it. */
  readonly place: number;
  readonly doc: number;
  readonly high: number;
  readonly low: number;
}

/** The better first; of equal scores, the lower number. */
export const compareFound = (a: Found, b: Found): number => b.score - a.score || a.number - b.number;

/** The best entities, each by its best document. */
export class Top {
  readonly #limit: number;
  readonly #best: Found[] = [];
  #worst = -1;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What a document must reach to count; whatever is below it changes nothing. */
  get threshold(): number {
    return this.#worst < 0 ? 0 : (this.#best[this.#worst]?.score ?? 0);
  }

  offer(found: Found): void {
    const worst = this.#worst < 0 ? undefined : this.#best[this.#worst];
    if (worst && compareFound(found, worst) >= 0) return;
    const known = this.#best.findIndex(({ low, high }) => low === found.low && high === found.high);
    const at = known >= 0 ? known : this.#best.length < this.#limit ? this.#best.length : this.#worst;
    const replaced = known >= 0 ? this.#best[known] : undefined;
    if (at < 0 || (replaced && compareFound(found, replaced) >= 0)) return;
    this.#best[at] = found;
    if (this.#best.length === this.#limit) this.#worst = this.#findWorst();
  }

  #findWorst(): number {
    let worst = 0;
    this.#best.forEach((found, i) => {
      const weakest = this.#best[worst];
      if (weakest && compareFound(found, weakest) > 0) worst = i;
    });
    return worst;
  }

  sorted(): Found[] {
    return this.#best.toSorted(compareFound);
  }
}
