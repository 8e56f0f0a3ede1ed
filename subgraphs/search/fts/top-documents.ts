export interface ScoredDocument {
  /** Integer sum (term-groups.ts). */
  readonly score: number;
  readonly number: number;
  readonly place: number;
  readonly doc: number;
  readonly high: number;
  readonly low: number;
}

/** Orders by descending score; of equal scores, by the lower number. */
export const compareScored = (a: ScoredDocument, b: ScoredDocument): number => b.score - a.score || a.number - b.number;

/** Collector of the best entities, each by its best document. */
export class TopDocuments {
  readonly #limit: number;
  readonly #scores: Float64Array;
  readonly #numbers: Float64Array;
  /** Segment, document and both halves of the entity hash, four values each. */
  readonly #rest: Uint32Array;
  #size = 0;
  #worst = 0;

  /** Least score to enter a full result; 0 until it is full. */
  threshold = 0;
  /** Documents at the threshold need a lower number. */
  number = Number.POSITIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
    this.#scores = new Float64Array(limit);
    this.#numbers = new Float64Array(limit);
    this.#rest = new Uint32Array(limit * 4);
  }

  offer(found: ScoredDocument): void {
    const { score, number, place: offset, doc, high, low } = found;
    if (score < this.threshold || (score === this.threshold && number >= this.number)) return;
    let at = this.#placeOf(high, low);
    if (at < this.#size) {
      const known = this.#scores[at] ?? 0;
      if (score < known || (score === known && number >= (this.#numbers[at] ?? 0))) return;
    } else if (this.#size === this.#limit) at = this.#worst;
    else this.#size++;
    this.#scores[at] = score;
    this.#numbers[at] = number;
    this.#rest.set([offset, doc, high, low], at * 4);
    if (this.#size === this.#limit) this.#findWorst();
  }

  #placeOf(high: number, low: number): number {
    const rest = this.#rest;
    let index = 0;
    while (index < this.#size && !(rest[index * 4 + 3] === low && rest[index * 4 + 2] === high)) index++;
    return index;
  }

  #findWorst(): void {
    const [scores, numbers] = [this.#scores, this.#numbers];
    let worst = 0;
    for (let at = 1; at < this.#size; at++) {
      const difference = (scores[at] ?? 0) - (scores[worst] ?? 0);
      if (difference < 0 || (difference === 0 && (numbers[at] ?? 0) > (numbers[worst] ?? 0))) worst = at;
    }
    this.#worst = worst;
    this.threshold = scores[worst] ?? 0;
    this.number = numbers[worst] ?? 0;
  }

  sorted(): ScoredDocument[] {
    return Array.from({ length: this.#size }, (_, index): ScoredDocument => {
      const [offset = 0, doc = 0, high = 0, low = 0] = this.#rest.subarray(index * 4, index * 4 + 4);
      return { score: this.#scores[index] ?? 0, number: this.#numbers[index] ?? 0, place: offset, doc, high, low };
    }).sort(compareScored);
  }
}
