import { parseArgs } from 'node:util';

const options = {
  role: { type: 'string' },
  worker: { type: 'boolean', default: false },
  insecure: { type: 'boolean', default: false },
  'no-demo': { type: 'boolean', default: false },
  admin: { type: 'string' },
} as const;

const KNOWN = '--role <role>, --worker, --no-demo, --admin <tenant>/<user name>, --insecure';

/** Parses the server's flags. Throws an Error that lists them for an unknown one or one without its value. */
export const parseFlags = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    // Node's first sentence says what is wrong; the others are about its own conventions.
    const [firstSentence = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    throw new Error(`${firstSentence}; there is ${KNOWN}.`);
  }
};
