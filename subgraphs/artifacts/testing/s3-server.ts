import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import S3rver from 's3rver';

const BUCKET = 'evidence';

/** Starts an S3 server with one bucket over files below a directory. It knows the access key `S3RVER` and compares no signature. */
export const startS3Server = async (directory: string) => {
  const bucket = join(directory, BUCKET);
  await mkdir(bucket, { recursive: true });
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory });
  const { port } = await server.run();
  return {
    /** Directory of the bucket: each object is a file `<key>._S3rver_object`. */
    bucket,
    env: {
      ARTIFACTS__S3__ENDPOINT: `http://127.0.0.1:${port}`,
      ARTIFACTS__S3__BUCKET: BUCKET,
      ARTIFACTS__S3__ACCESSKEYID: 'S3RVER',
      ARTIFACTS__S3__SECRETACCESSKEY: 'secret',
    },
    stop: () => server.close(),
  };
};
