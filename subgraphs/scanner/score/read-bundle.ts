import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { type BundleEntries, ENTRY_NAMES, type EntryName } from './bundle.ts';
import { InvalidDocument, refuse } from './document.ts';

const MAX_ENTRY_BYTES = 64 * 1_048_576;
const MAX_TOTAL_BYTES = 128 * 1_048_576;
const MAX_RATIO = 200;
/** Largest file that is read: all entries stored, and room for their headers. */
export const MAX_BUNDLE_BYTES = MAX_TOTAL_BYTES + 65_536;

const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;

const isEntryName = (text: string): text is EntryName => ENTRY_NAMES.some((name) => name === text);

const typeOf = ({ externalFileAttributes }: Entry): number => (externalFileAttributes >>> 16) & FILE_TYPE;

const refuseLimit = ({ fileName, uncompressedSize, compressedSize }: Entry): void => {
  if (uncompressedSize > MAX_ENTRY_BYTES)
    refuse('bundle-limit', `The entry ${fileName} is larger than ${MAX_ENTRY_BYTES} bytes.`);
  if (uncompressedSize > compressedSize * MAX_RATIO)
    refuse('bundle-limit', `The entry ${fileName} is compressed more than ${MAX_RATIO} times.`);
};

/** Checks an entry's header; its data is not yet read. */
const checkEntry = (entry: Entry, earlier: ReadonlyMap<EntryName, Entry>): EntryName => {
  const { fileName } = entry;
  if (!isEntryName(fileName)) return refuse('bundle-entries', `The entry ${JSON.stringify(fileName)} is not expected.`);
  if (earlier.has(fileName)) refuse('bundle-entries', `The entry ${fileName} is there twice.`);
  if (entry.isEncrypted()) refuse('bundle-entries', `The entry ${fileName} is encrypted.`);
  if (![0, REGULAR_FILE].includes(typeOf(entry))) refuse('bundle-entries', `The entry ${fileName} is not a file.`);
  refuseLimit(entry);
  return fileName;
};

const readHeaders = async (zip: ZipFile): Promise<ReadonlyMap<EntryName, Entry>> => {
  if (zip.entryCount !== ENTRY_NAMES.length)
    refuse('bundle-entries', `There are ${zip.entryCount} entries, and not ${ENTRY_NAMES.length}.`);
  const headers = new Map<EntryName, Entry>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    headers.set(checkEntry(entry, headers), entry);
    total += entry.uncompressedSize;
  }
  if (total > MAX_TOTAL_BYTES) refuse('bundle-limit', `The entries are larger than ${MAX_TOTAL_BYTES} bytes.`);
  return headers;
};

const readEntries = async (zip: ZipFile): Promise<BundleEntries> => {
  const headers = await readHeaders(zip);
  const read = async (name: EntryName): Promise<Buffer> => {
    const entry = headers.get(name) ?? refuse('bundle-entries', `The entry ${name} is missing.`);
    const bytes = await buffer(await zip.openReadStreamPromise(entry));
    if (crc32(bytes) !== entry.crc32) refuse('bundle-damaged', `The checksum of ${name} is wrong.`);
    return bytes;
  };
  return {
    'manifest.json': await read('manifest.json'),
    'manifest.dsse.json': await read('manifest.dsse.json'),
    'score_proof.json': await read('score_proof.json'),
    'meta.json': await read('meta.json'),
  };
};

/**
 * Reads the four entries of a proof bundle; every other archive is refused (proofs 4).
 * @throws InvalidDocument `bundle-damaged`, `bundle-entries`, `bundle-limit`
 */
export const readBundle = async (bytes: Buffer): Promise<BundleEntries> => {
  try {
    return await readEntries(await fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true }));
  } catch (error) {
    if (error instanceof InvalidDocument) throw error;
    refuse('bundle-damaged', error instanceof Error ? error.message : 'It is not a ZIP file.');
  }
};
