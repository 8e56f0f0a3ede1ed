import { parentPort, workerData } from 'node:worker_threads';
import { readWritten, type Written } from './upload.ts';

const given: Written = workerData;
parentPort?.postMessage(await readWritten(given));
