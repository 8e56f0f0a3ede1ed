import { parentPort, workerData } from 'node:worker_threads';
import { readUpload, type Upload } from './upload.ts';

const given: Upload = workerData;
parentPort?.postMessage(await readUpload(given));
