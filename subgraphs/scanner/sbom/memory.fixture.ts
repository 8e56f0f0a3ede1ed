// Reads the document whose path is given and prints its components and the growth of the resident set in bytes.
import { createReadStream } from 'node:fs';
import { argv, memoryUsage, stdout } from 'node:process';
import { readSbom } from './read-sbom.ts';

const before = memoryUsage.rss();
let peak = before;

async function* watched(path: string): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(path)) {
    peak = Math.max(peak, memoryUsage.rss());
    yield chunk;
  }
}

const { components } = await readSbom(watched(argv[2] ?? ''));
stdout.write(JSON.stringify([components.length, Math.max(peak, memoryUsage.rss()) - before]));
