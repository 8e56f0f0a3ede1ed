import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';

/** PostgreSQL's default, `scram_iterations`. */
const ITERATIONS = 4096;

/** SASLprep (RFC 4013 2.1, 2.2): spaces beyond ASCII become one, invisible characters are removed, the rest is NFKC. */
const saslPrep = (password: string): string =>
  password
    .replaceAll(/[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g, ' ')
    .replaceAll(/\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g, '')
    .normalize('NFKC');

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** Converts a password to its stored form (SCRAM-SHA-256, RFC 5803), so that logged statements do not contain it. */
export const scramVerifier = async (password: string): Promise<string> => {
  const salt = randomBytes(16);
  const salted = await promisify(pbkdf2)(saslPrep(password), salt, ITERATIONS, 32, 'sha256');
  const stored = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64');
  const server = hmac(salted, 'Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
};
