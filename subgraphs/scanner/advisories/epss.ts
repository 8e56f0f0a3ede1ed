import { isCve, normalizeAdvisoryId } from './advisory-id.ts';
import { feedDateOf, type Problem, UnreadableDocument } from './document-fields.ts';

/** Probability of exploitation in the next 30 days (FIRST EPSS). Decimals are as published. */
interface EpssRow {
  readonly cveId: string;
  readonly epss: string;
  readonly percentile: string;
}

interface EpssFeed {
  readonly modelVersion: string | null;
  /** `score_date` in whole seconds; null where it is missing. */
  readonly publishedAt: string | null;
  /** Rows in the order of the file; reads the source as it is consumed. */
  readonly rows: AsyncIterable<EpssRow>;
  /** Rows that were not read, by `line N`; complete once `rows` has ended. */
  readonly problems: readonly Problem[];
}

/** Characters of a line; the rows of the feed have about thirty. */
const LONGEST_LINE = 10_000;

/** Bytes of the unpacked feed, which has about ten million. */
const LARGEST = 64 * 1024 * 1024;

/** Lines without their ends. Throws UnreadableDocument for one that is too long, and for too many bytes. */
async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > LARGEST) throw new UnreadableDocument(`it has more than ${LARGEST} bytes`);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new UnreadableDocument(`a line has more than ${LONGEST_LINE} characters`);
    yield* lines.map((line) => line.trim());
  }
  yield (rest + decoder.decode()).trim();
}

/** Decimal of 0 to 1 with at most 12 digits, as the score model takes it. */
const PROBABILITY = /^(?:0(?:\.\d{1,12})?|1(?:\.0{1,12})?)$/;

const HEADER = 'cve,epss,percentile';

const rowOf = (line: string): EpssRow | undefined => {
  const [cveId = '', epss = '', percentile = '', ...more] = line.split(',').map((cell) => cell.trim());
  const isRow = isCve(cveId) && PROBABILITY.test(epss) && PROBABILITY.test(percentile) && more.length === 0;
  return isRow ? { cveId: normalizeAdvisoryId(cveId), epss, percentile } : undefined;
};

/**
 * Reads EPSS's daily CSV, unpacked: an optional comment with the model and the date, the header, a row for each CVE.
 * Throws UnreadableDocument where the header is another one.
 */
export const parseEpss = async (source: AsyncIterable<Uint8Array>): Promise<EpssFeed> => {
  const lines = linesOf(source);
  const next = async (): Promise<string> => (await lines.next()).value ?? '';
  const first = (await next()).replace(/^\ufeff/, '');
  const comment = first.startsWith('#') ? first : '';
  const header = comment === '' ? first : await next();
  if (header !== HEADER)
    throw new UnreadableDocument(`no EPSS scores: the header is “${header.slice(0, 100)}”, not “${HEADER}”`);
  const [, modelVersion = null] = /model_version:([^,\s]+)/.exec(comment) ?? [];
  const [, scoreDate] = /score_date:([^,\s]+)/.exec(comment) ?? [];
  const problems: Problem[] = [];
  async function* rows(): AsyncGenerator<EpssRow> {
    let number = comment === '' ? 1 : 2;
    for await (const line of lines) {
      number++;
      if (line === '') continue;
      const row = rowOf(line);
      if (row) yield row;
      else problems.push({ path: `line ${number}`, reason: `“${line.slice(0, 100)}” is no score of a CVE` });
    }
  }
  return { modelVersion, publishedAt: feedDateOf(scoreDate), rows: rows(), problems };
};
