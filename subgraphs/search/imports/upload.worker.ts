import { parentPort, workerData } from 'node:worker_threads';
import { readUpload, type Upload } from './upload.ts';

const parameters: Upload = workerData;
parentPort?.postMessage(await readUpload(parameters));
