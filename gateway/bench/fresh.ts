// From nothing but the repository and npm's cache to ready: a clone of what is committed, `npm ci`, the console's first
// build, the database's first start. Heavy: it downloads what the cache lacks, and takes a gigabyte of disk.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { benchDirectory } from './bench-host.ts';
import { createReport } from './figure.ts';
import { createHome, startProduct } from './product-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

await using directory = await benchDirectory();
const checkout = join(directory.path, 'landfall');
const startedMs = performance.now();
await run('git', ['clone', '--quiet', ROOT, checkout]);
const cloned = performance.now();
await using _product = await startProduct(await createHome(directory.path), checkout);

const { tell } = createReport('fresh');
tell('fresh checkout to ready, npm cache warm', (performance.now() - startedMs) / 1_000, 's', { atMost: 60 });
tell('clone', (cloned - startedMs) / 1_000, 's');
